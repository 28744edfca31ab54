// Behaves towards the start script as the real relay does, without being one.
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const { ORRERY_HOST, ORRERY_PORT, ORRERY_DATA_DIR = '', ORRERY_NEXT_ORIGIN, ORRERY_LOCAL_DEVICE_URL } = process.env;
const tokenFile = join(ORRERY_DATA_DIR, 'token');

if (existsSync(join(ORRERY_DATA_DIR, 'relay-fails'))) {
  process.stderr.write('The journal is from a newer Orrery.\n');
  process.exit(3);
}

const server = createServer(async (request, response) => {
  if (request.url === '/sign-in') {
    const page = await fetch(`${ORRERY_NEXT_ORIGIN}/sign-in`).catch(() => undefined);
    response.writeHead(page?.status ?? 503).end();
    return;
  }
  const isAllowed = request.url === '/readyz' || request.headers.authorization === 'Bearer fake-token';
  response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ status: ORRERY_LOCAL_DEVICE_URL?.includes('?token=') ? 'idle' : 'disconnected' }));
});

server.listen(Number(ORRERY_PORT), ORRERY_HOST, () => {
  const address = server.address();
  const origin = `http://${ORRERY_HOST}:${typeof address === 'object' ? address?.port : 0}`;
  writeFileSync(tokenFile, 'fake-token\n');
  process.send?.({ type: 'ready', origin, signInUrl: `${origin}/sign-in#code=fake`, tokenFile });
});

process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
