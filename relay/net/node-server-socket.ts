import type { WebSocket } from 'ws';
import type { Transport } from '@/lib/aip/transport/transport';
import { createWsTransport, KEEP_ALIVE_DEFAULT, type KeepAlive } from './ws-transport';

/** Wraps a socket that a `ws` server has just accepted; call it in the same turn, or the first frames are lost. */
export function acceptNodeSocket(socket: WebSocket, keepAlive: KeepAlive = KEEP_ALIVE_DEFAULT): Transport {
  return createWsTransport(socket, keepAlive);
}
