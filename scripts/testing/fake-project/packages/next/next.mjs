// `build` leaves what a build leaves, and a line for each build; `start` answers every page.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [command, ...args] = process.argv.slice(2);
if (command === 'build') {
  mkdirSync('.next', { recursive: true });
  writeFileSync('.next/BUILD_ID', 'fake');
  appendFileSync('builds', 'built\n');
  // Long enough that a second start meets this build under way.
  await new Promise((done) => setTimeout(done, 300));
} else {
  const server = createServer((_, response) => response.writeHead('ORRERY_TOKEN' in process.env ? 500 : 200).end());
  server.listen(Number(args[args.indexOf('--port') + 1]), '127.0.0.1');
  process.on('SIGTERM', () => {
    server.close();
    server.closeAllConnections();
  });
}
