import { createServer } from 'node:net';

const server = createServer();
server.listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ type: 'ready', port: typeof address === 'object' ? address?.port : 0 });
});
process.on('SIGTERM', () => server.close());
