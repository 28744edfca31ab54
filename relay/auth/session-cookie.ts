import { SESSION_MS } from './sessions';

/** `__Host-` makes browsers refuse the cookie unless it is Secure, for this host only, on the path `/`. */
const SECURE_NAME = '__Host-orrery_session';
const PLAIN_NAME = 'orrery_session';

/** Over https the cookie is Secure and has the stricter name; a plain loopback page cannot have that. */
export type CookieSecurity = 'secure' | 'plain';

export function cookieName(security: CookieSecurity): string {
  return security === 'secure' ? SECURE_NAME : PLAIN_NAME;
}

export function setSessionCookie(value: string, security: CookieSecurity): string {
  return cookieText(value, security, SESSION_MS / 1000);
}

export function clearSessionCookie(security: CookieSecurity): string {
  return cookieText('', security, 0);
}

function cookieText(value: string, security: CookieSecurity, maxAgeSeconds: number): string {
  const secure = security === 'secure' ? '; Secure' : '';
  return `${cookieName(security)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

export function readSessionCookie(header: string | undefined, security: CookieSecurity): string | undefined {
  const name = cookieName(security);
  for (const part of (header ?? '').split(';')) {
    const [key, value] = splitOnce(part.trim());
    if (key === name) return value;
  }
  return undefined;
}

/** The header without our cookies: what stands behind the relay has no use for them. */
export function withoutSessionCookies(header: string): string {
  return header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '' && ![SECURE_NAME, PLAIN_NAME].includes(splitOnce(part)[0]))
    .join('; ');
}

function splitOnce(part: string): readonly [string, string] {
  const at = part.indexOf('=');
  return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
}
