import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { toProblem } from '@/lib/relay-protocol/problem';
import { SUBPROTOCOL } from '@/lib/relay-protocol/version';
import type { AllowList } from '@/relay/auth/allow-list';

export type UpgradeRefusal = { readonly status: number; readonly code: string; readonly detail: string };

const FOREIGN_PAGE: UpgradeRefusal = {
  status: 403,
  code: 'foreign-origin',
  detail: 'This page is not one of the relay; open its own address.',
};

const SUBPROTOCOLS_LENGTH_MAX = 256;

/**
 * Why an upgrade is refused before any WebSocket code sees it; undefined lets it through.
 *
 * A request without Origin comes from a program, not from a page. It may pass, since only a ticket opens anything; with a
 * cookie it may not, since then it claims to be a browser.
 */
export function refuseUpgrade(request: IncomingMessage, allowList: AllowList): UpgradeRefusal | undefined {
  const { headers } = request;
  if (!allowList.isHostAllowed(headers.host)) return unknownHost(headers.host);
  if (headers.upgrade?.toLowerCase() !== 'websocket' || pathOf(request) !== '/ws') {
    return { status: 426, code: 'upgrade-required', detail: 'Only WebSocket upgrades of /ws are served here.' };
  }
  if (request.method !== 'GET') return { status: 400, code: 'bad-upgrade', detail: 'A WebSocket begins with GET.' };
  if (headers.origin !== undefined && !allowList.isOriginAllowed(headers.origin)) {
    return FOREIGN_PAGE;
  }
  if (!allowList.isFetchSiteAllowed(headers['sec-fetch-site']?.toString())) return FOREIGN_PAGE;
  if (headers.origin === undefined && headers.cookie !== undefined) {
    return { status: 403, code: 'origin-missing', detail: 'A request with a cookie must name its Origin.' };
  }
  return refuseSubprotocol(headers['sec-websocket-protocol']);
}

export function unknownHost(host: string | undefined): UpgradeRefusal {
  const name = (host ?? '').slice(0, 100);
  const detail = `The host name "${name}" is not one of this relay; add it to ORRERY_ALLOWED_HOSTS if it should be.`;
  return { status: 421, code: 'unknown-host', detail };
}

function refuseSubprotocol(offered: string | undefined): UpgradeRefusal | undefined {
  const isOffered =
    offered !== undefined &&
    offered.length <= SUBPROTOCOLS_LENGTH_MAX &&
    offered.split(',').some((name) => name.trim() === SUBPROTOCOL);
  if (isOffered) return undefined;
  return { status: 400, code: 'bad-subprotocol', detail: `Offer the subprotocol ${SUBPROTOCOL}; reload the page.` };
}

/** Answers in plain HTTP and lets the socket go; nothing of it stays, whatever the other side does. */
export function answerAndDestroy(socket: Duplex, refusal: UpgradeRefusal): void {
  const body = `${JSON.stringify(toProblem(refusal))}\n`;
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_WORDS[refusal.status] ?? 'Refused'}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(refusal.status === 426 ? ['Upgrade: websocket'] : []),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  421: 'Misdirected Request',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] ?? '/';
}
