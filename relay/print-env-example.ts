import { envExample } from './env-example';

/** `npx tsx relay/print-env-example.ts > .env.example` */
process.stdout.write(envExample());
