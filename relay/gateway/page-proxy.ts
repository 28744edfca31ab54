import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import { withoutSessionCookies } from '@/relay/auth/session-cookie';
import { contentSecurityPolicy, pageHeaders } from './page-headers';

/** Belong to one connection, not to the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** A page server that has not begun to answer by then is as good as away. */
const FIRST_BYTE_MS_MAX = 30_000;

export type PageProxy = {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): void;
};

/**
 * Hands page requests to the page server on loopback. The policy goes along as a request header, from which Next takes
 * the nonce for its scripts; tokens and cookies of ours do not, for a page server has no use for them.
 */
export function createPageProxy(ports: { nextOrigin: string; random: Random; logger: Logger }): PageProxy {
  const { nextOrigin, random, logger } = ports;
  // A kept connection may be closed by the page server just as a request leaves, which would cost the reader a page.
  const agent = new Agent({ keepAlive: false, maxSockets: 256 });
  return {
    handle(request, response) {
      const nonce = Buffer.from(random.hex(16), 'hex').toString('base64');
      const policy = contentSecurityPolicy(nonce);
      const headers = { ...forwarded(request), 'content-security-policy': policy, 'x-nonce': nonce };
      const target = new URL(nextOrigin);
      const upstream = httpRequest({
        agent,
        host: target.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: target.port,
        method: request.method,
        path: request.url,
        headers,
        timeout: FIRST_BYTE_MS_MAX,
      });
      upstream.on('response', (answer) => passOn(answer, response, policy));
      upstream.on('timeout', () => upstream.destroy(new Error('the page server did not answer in time')));
      upstream.on('error', (cause) => {
        logger.warn('page-server-away', { error: cause.message });
        answerAway(response, policy);
      });
      request.on('error', () => upstream.destroy());
      response.on('close', () => stopWhenUnread(response, upstream));
      request.pipe(upstream);
    },
    close: () => agent.destroy(),
  };
}

function forwarded(request: IncomingMessage): Record<string, string | string[]> {
  const headers = endToEnd(request.headers);
  for (const name of ['authorization', 'content-security-policy-report-only', 'forwarded']) delete headers[name];
  const cookie = withoutSessionCookies(request.headers.cookie ?? '');
  if (cookie === '') delete headers.cookie;
  else headers.cookie = cookie;
  headers['x-forwarded-host'] = request.headers.host ?? '';
  headers['x-forwarded-proto'] = 'http';
  headers['x-forwarded-for'] = request.socket.remoteAddress ?? '';
  return headers;
}

function passOn(answer: IncomingMessage, response: ServerResponse, policy: string): void {
  const headers = { ...endToEnd(answer.headers), ...pageHeaders(policy) };
  response.writeHead(answer.statusCode ?? 502, headers);
  answer.on('error', () => response.destroy());
  answer.pipe(response);
}

/** Without the hop-by-hop headers, those that `Connection` names included. */
function endToEnd(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/[\s,]+/));
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.has(name)) kept[name] = value;
  }
  return kept;
}

function stopWhenUnread(response: ServerResponse, upstream: ClientRequest): void {
  if (!response.writableFinished) upstream.destroy();
}

/** No script and nothing to load: it works while there is nothing behind it. */
const AWAY_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width">
<title>Orrery is starting</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:32rem;padding:0 1rem;color-scheme:light dark}</style>
<h1>The pages are starting</h1>
<p>Devices and runs go on meanwhile. This page loads again by itself.</p>
</html>
`;

function answerAway(response: ServerResponse, policy: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(503, {
    ...pageHeaders(policy),
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
    'retry-after': '2',
  });
  response.end(AWAY_PAGE);
}
