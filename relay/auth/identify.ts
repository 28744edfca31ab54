import type { Actor } from '@/relay/runtime/runtime-port';
import type { AllowList } from './allow-list';
import { isSameSecret } from './digest';
import { type CookieSecurity, readSessionCookie } from './session-cookie';
import type { Sessions } from './sessions';

/** Who sent a request; `sessionId` null is a holder of the admin token. */
export type Identity = { readonly actor: Actor; readonly sessionId: string | null };

export type IdentifyResult =
  | { readonly kind: 'known'; readonly identity: Identity }
  | { readonly kind: 'unknown'; readonly message: string }
  /** A cookie came along with a request that no page of ours has sent. */
  | { readonly kind: 'foreign'; readonly message: string };

export type RequestFacts = {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
};

export type Identify = (request: RequestFacts) => IdentifyResult;

export type IdentifyPorts = {
  readonly adminToken: string;
  readonly sessions: Sessions;
  readonly allowList: AllowList;
  readonly cookieSecurity: CookieSecurity;
};

/** A bearer token wins over a cookie; a wrong one never falls back to it. */
export function createIdentify(ports: IdentifyPorts): Identify {
  return (request) => {
    if (request.authorization !== undefined) return byToken(ports, request.authorization);
    return byCookie(ports, request);
  };
}

function byToken(ports: IdentifyPorts, authorization: string): IdentifyResult {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined || !isSameSecret(token, ports.adminToken)) {
    return unknown('Expected "Authorization: Bearer <token>" with the token of this relay; it is in the data folder.');
  }
  return { kind: 'known', identity: { actor: { name: 'api', role: 'admin', via: 'api' }, sessionId: null } };
}

function byCookie(ports: IdentifyPorts, request: RequestFacts): IdentifyResult {
  const cookieValue = readSessionCookie(request.cookie, ports.cookieSecurity);
  if (cookieValue === undefined) {
    return unknown('Sign in with a sign-in link, or send "Authorization: Bearer <token>".');
  }
  const login = ports.sessions.find(cookieValue);
  if (login === undefined) return unknown('The session has ended; sign in with a new sign-in link.');
  if (!isSafe(request.method) && !isOwnPage(ports.allowList, request)) {
    return {
      kind: 'foreign',
      message: 'A cookie counts only for requests of our own pages; use "Authorization: Bearer <token>" elsewhere.',
    };
  }
  const actor: Actor = { name: login.actor, role: login.role, via: 'ui' };
  return { kind: 'known', identity: { actor, sessionId: login.sessionId } };
}

/** Browsers send at least one of the two with every unsafe request; a page cannot forge either. */
function isOwnPage(allowList: AllowList, request: RequestFacts): boolean {
  if (request.fetchSite !== undefined && request.fetchSite !== 'same-origin') return false;
  if (request.origin !== undefined) return allowList.isOriginAllowed(request.origin);
  return request.fetchSite === 'same-origin';
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function unknown(message: string): IdentifyResult {
  return { kind: 'unknown', message };
}
