import type { LookupFunction } from 'node:net';
import { WebSocket } from 'ws';
import { type Cancellation, neverCancelled } from '@/lib/aip/transport/cancellation';
import { ConnectError, type ConnectErrorCode, type Transport } from '@/lib/aip/transport/transport';
import { errorCode } from '@/lib/std/error-code';
import { CONSTELLATION_KEEP_ALIVE, createDialledTransport, type KeepAlive, MESSAGE_BYTES_MAX } from './ws-transport';

export type NodeSocketOptions = {
  /** With the token in its query; neither is ever repeated in an error. */
  readonly url: string;
  readonly messageBytesMax?: number;
  readonly handshakeTimeoutMs?: number;
  readonly keepAlive?: KeepAlive;
  readonly closeTimeoutMs?: number;
  /** Resolves the host; rejects with a {@link ConnectError} of its own when an address is not allowed. */
  readonly lookup?: LookupFunction;
};

/** A WebSocket from Node: no redirects, no compression, one deadline over name, connection and handshake. */
export function createNodeTransport(options: NodeSocketOptions): Transport {
  const { keepAlive = CONSTELLATION_KEEP_ALIVE, closeTimeoutMs } = options;
  return createDialledTransport(
    { keepAlive, ...(closeTimeoutMs !== undefined && { closeTimeoutMs }) },
    (cancellation = neverCancelled) => openSocket(options, cancellation),
  );
}

async function openSocket(options: NodeSocketOptions, cancellation: Cancellation): Promise<WebSocket> {
  const place = placeOf(options.url);
  if (cancellation.isCancelled) throw new ConnectError('cancelled', `Connecting to ${place} is no longer wanted`);
  const timeoutMs = options.handshakeTimeoutMs ?? 10_000;
  const socket = new WebSocket(options.url, {
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: options.messageBytesMax ?? MESSAGE_BYTES_MAX,
    ...(options.lookup && { lookup: options.lookup }),
  });
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const fail = (error: ConnectError) => {
      if (isSettled) return;
      settle();
      reject(error);
      socket.terminate();
    };
    const timer = setTimeout(() => {
      fail(new ConnectError('timeout', `Expected ${place} to answer within ${timeoutMs} ms, got nothing`));
    }, timeoutMs);
    const forget = cancellation.onCancelled(() => {
      fail(new ConnectError('cancelled', `Connecting to ${place} is no longer wanted`));
    });
    function settle() {
      isSettled = true;
      clearTimeout(timer);
      forget();
    }
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      fail(errorOfStatus(place, response.statusCode ?? 0));
    });
    // Stays for the life of the socket: `terminate` before the opening makes an error, too.
    socket.on('error', (cause) => fail(errorOfCause(place, cause)));
    socket.once('open', () => {
      if (isSettled) return;
      settle();
      socket.pause(); // what comes before the transport listens would be lost
      resolve(socket);
    });
  });
}

/** Scheme, host and port: what an error may say of an address. */
function placeOf(url: string): string {
  if (!URL.canParse(url))
    throw new ConnectError('invalid-url', 'Expected a ws:// or wss:// URL, got text that is no URL');
  const { protocol, host } = new URL(url);
  if (protocol !== 'ws:' && protocol !== 'wss:') {
    throw new ConnectError('invalid-url', `Expected a ws:// or wss:// URL, got scheme "${protocol}"`);
  }
  return `${protocol}//${host}`;
}

function errorOfStatus(place: string, status: number): ConnectError {
  if (status === 401 || status === 403) {
    const message = `${place} refused the credentials (HTTP ${status}); check the token of this device's server URL`;
    return new ConnectError('unauthorized', message, { status });
  }
  return new ConnectError('http', `Expected a WebSocket at ${place}, got HTTP ${status}; check host and path`, {
    status,
  });
}

const CODES: Record<string, readonly [ConnectErrorCode, string]> = {
  ECONNREFUSED: ['refused', 'nothing listens there; is the device server running?'],
  ENOTFOUND: ['dns', 'no such host; check its name'],
  EAI_AGAIN: ['dns', 'its name cannot be resolved right now'],
  ETIMEDOUT: ['timeout', 'it did not answer in time'],
  EHOSTUNREACH: ['unreachable', 'there is no route to it'],
  ENETUNREACH: ['unreachable', 'its network is not reachable'],
  EADDRNOTAVAIL: ['unreachable', 'this machine has no address in that network'],
  ECONNRESET: ['failed', 'it cut the connection during the handshake'],
  EPROTO: ['tls', 'it does not speak TLS there'],
};

function errorOfCause(place: string, cause: Error): ConnectError {
  if (cause instanceof ConnectError) return cause;
  const code = errorCode(cause);
  const known = CODES[code];
  if (known) return new ConnectError(known[0], `Cannot connect to ${place}: ${known[1]}`, { cause });
  if (code.startsWith('HPE_')) {
    const message = `Expected a WebSocket at ${place}, got an answer that is no HTTP; check host and port`;
    return new ConnectError('http', message, { cause });
  }
  if (/TLS|SSL|CERT|SIGNATURE|SELF_SIGNED/.test(code)) {
    return new ConnectError('tls', `Cannot trust ${place}: its certificate was refused (${code})`, { cause });
  }
  return new ConnectError('failed', `Cannot connect to ${place}: ${code || 'the handshake failed'}`, { cause });
}
