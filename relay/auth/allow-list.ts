import { isLoopbackHost } from '@/relay/net/loopback-host';

export type AllowListOptions = {
  readonly host: string;
  /** The port that is really listened on. */
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly publicOrigin: string | undefined;
  /** Addresses of this machine; they count when the relay listens on all of them. */
  readonly ownAddresses: readonly string[];
};

/**
 * By which names the relay may be reached (against DNS rebinding) and from which pages (against foreign pages that use
 * an operator's cookie). Both compare whole strings: no prefix, no suffix, no pattern.
 */
export type AllowList = {
  isHostAllowed(host: string | undefined): boolean;
  isOriginAllowed(origin: string | undefined): boolean;
  /** What the browser itself says of where a request comes from; programs and old browsers say nothing. */
  isFetchSiteAllowed(fetchSite: string | undefined): boolean;
  /** How people reach the relay; stands in sign-in links. */
  readonly origin: string;
  /** The same without a proxy in between: for programs on this machine. */
  readonly localOrigin: string;
};

export function createAllowList(options: AllowListOptions): AllowList {
  const { port, publicOrigin } = options;
  const hosts = new Set<string>();
  for (const name of namesOf(options)) {
    hosts.add(`${name}:${port}`);
    if (port === 80) hosts.add(name);
  }
  for (const entry of options.allowedHosts) {
    hosts.add(entry);
    if (!/:\d+$/.test(entry)) hosts.add(`${entry}:${port}`);
  }
  const origins = new Set([...hosts].map((host) => `http://${host}`));
  if (publicOrigin !== undefined) {
    hosts.add(new URL(publicOrigin).host);
    origins.add(publicOrigin);
  }
  const localOrigin = `http://${linkHost(options.host)}${port === 80 ? '' : `:${port}`}`;
  return {
    isHostAllowed: (host) => host !== undefined && hosts.has(host.toLowerCase()),
    isOriginAllowed: (origin) => origin !== undefined && origins.has(origin),
    isFetchSiteAllowed: (fetchSite) => fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none',
    origin: publicOrigin ?? localOrigin,
    localOrigin,
  };
}

function namesOf(options: AllowListOptions): string[] {
  const loopback = ['localhost', '127.0.0.1', '[::1]'];
  if (isAnyAddress(options.host)) return [...loopback, ...options.ownAddresses.map(bracketed)];
  if (isLoopbackHost(options.host)) return [...loopback, bracketed(options.host)];
  return [bracketed(options.host.toLowerCase())];
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '0';
}

/** An address to listen on is not always one to call. */
function linkHost(host: string): string {
  if (!isAnyAddress(host)) return bracketed(host);
  return host === '::' ? '[::1]' : '127.0.0.1';
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
