import { err, ok, type Result } from '@/lib/std/result';

/** A device's server URL in two parts: what may be shown, and the query, which holds the token. */
export type ServerAddress = {
  readonly shown: string;
  /** With its question mark; null when there is none. */
  readonly secret: string | null;
};

/** What lies between the two slashes and the path, as a person wrote it. */
const AUTHORITY = /^wss?:\/\/([^/?#]+)/i;

/** A name of a host as name servers know it, or an address in brackets. */
const HOST = /^(?:\[.+\]|[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?)$/;
const HOST_LENGTH_MAX = 254;

/**
 * Takes a server URL apart as it comes in. Problems never repeat what stands behind the host.
 *
 * The URL standard mends much: it drops line breaks, reads backslashes as slashes, and finds a host after one slash or
 * three. Other readers see another host there, so that what needs mending is refused.
 */
export function splitServerUrl(text: string): Result<ServerAddress, string> {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed))
    return err('Expected a server_url such as ws://host:5000/ws?token=…, got text that is no URL');
  const url = new URL(trimmed);
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') {
    return err(`Expected a server_url with ws:// or wss://, got ${url.protocol}//`);
  }
  if (/[\s\\\p{Cc}]/u.test(trimmed)) {
    return err('Expected a server_url without spaces, line breaks and backslashes, got one with them');
  }
  const authority = AUTHORITY.exec(trimmed)?.[1];
  if (authority === undefined) {
    return err('Expected a server_url with a host after ws:// or wss://, such as ws://host:5000/ws, got one without');
  }
  if (authority.includes('@')) {
    return err('Expected a server_url without user name and password; put the token into the query: ?token=…');
  }
  if (!HOST.test(url.hostname) || url.hostname.length > HOST_LENGTH_MAX) {
    return err(
      'Expected a server_url with the name or address of a host, such as device.example or 10.0.0.5, got neither',
    );
  }
  if (url.port === '0') return err('Expected a server_url with a port from 1 to 65535, got 0');
  return ok({ shown: `${url.protocol}//${url.host}${url.pathname}`, secret: url.search === '' ? null : url.search });
}

export function joinServerUrl({ shown, secret }: ServerAddress): string {
  return secret === null ? shown : `${shown}${secret}`;
}

/** Whether a token that was given for one address may be used for the other: same scheme, host and port. */
export function isSameServer(shown: string, otherShown: string): boolean {
  const one = new URL(shown);
  const other = new URL(otherShown);
  return one.protocol === other.protocol && one.host === other.host;
}
