import { err, ok, type Result } from '@/lib/std/result';

/** A device's server URL in two parts: what may be shown, and the query, which holds the token. */
export type ServerAddress = {
  readonly shown: string;
  /** With its question mark; null when there is none. */
  readonly secret: string | null;
};

/**
 * Takes a server URL apart as it comes in. Problems never repeat what stands behind the host.
 */
export function splitServerUrl(text: string): Result<ServerAddress, string> {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed))
    return err('Expected a server_url such as ws://host:5000/ws?token=…, got text that is no URL');
  const url = new URL(trimmed);
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') {
    return err(`Expected a server_url with ws:// or wss://, got ${url.protocol}//`);
  }
  if (url.username !== '' || url.password !== '') {
    return err('Expected a server_url without user name and password; put the token into the query: ?token=…');
  }
  if (url.hostname === '') return err('Expected a server_url with a host, got none');
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
