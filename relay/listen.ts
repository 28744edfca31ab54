import type { Server } from 'node:http';
import { StartError } from './start-error';

/** @returns the port that is listened on @throws StartError with a sentence when that is not possible */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => reject(new StartError(sentence(cause, host, port), { cause }));
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function sentence(cause: NodeJS.ErrnoException, host: string, port: number): string {
  switch (cause.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use by another program; stop that one, or set ORRERY_PORT to a free port.`;
    case 'EACCES':
      return `Port ${port} may not be opened by this user; set ORRERY_PORT to a port above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine; set ORRERY_HOST to one, such as 127.0.0.1.`;
    default:
      return `Listening on ${host}, port ${port}, failed (${cause.message}); check ORRERY_HOST and ORRERY_PORT.`;
  }
}
