import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ConnectError } from '@/lib/aip/transport/transport';
import { err, ok, type Result } from '@/lib/std/result';
import { type AddressPolicy, checkAddress } from './address-policy';

type Protocol = 'ws:' | 'wss:';
type Resolve = (
  hostname: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void;

/**
 * Checks what of an address can be known without asking a name server: addresses written as such, in any of the forms that
 * the URL standard reads as one, and the names of this machine. Names are checked when they are resolved.
 *
 * @param shown - a `ws:` or `wss:` URL that has been split from its secret
 */
export function checkServerUrl(shown: string, policy: AddressPolicy): Result<null, string> {
  const url = new URL(shown);
  const host = url.hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
  const literal = host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : literalOf(host);
  if (literal === undefined) return ok(null);
  const checked = checkAddress(literal, protocolOf(url), policy);
  return checked.ok ? checked : err(`The address ${url.host} ${checked.error}`);
}

/**
 * Resolves a host for one connection and hands out its addresses only if every one is allowed, so that a name cannot point
 * to a forbidden place, not even at the second look.
 */
export function createGuardedLookup(
  shown: string,
  policy: AddressPolicy,
  resolve: Resolve = systemLookup,
): LookupFunction {
  const protocol = protocolOf(new URL(shown));
  return (hostname, options, done) => {
    resolve(hostname, { all: true }, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      for (const { address } of addresses) {
        const checked = checkAddress(address, protocol, policy);
        if (checked.ok) continue;
        const message = `The name ${hostname} stands for ${address}, which ${checked.error}`;
        return done(new ConnectError('address-not-allowed', message), '', 0);
      }
      const [first] = addresses;
      if (first === undefined) return done(new ConnectError('dns', `No address found for ${hostname}`), '', 0);
      return options.all ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
}

/** Text of a URL's host that is an address; the URL parser has brought all numeric forms into the usual one. */
function literalOf(host: string): string | undefined {
  return /^\d+(\.\d+){3}$/.test(host) || host.includes(':') ? host : undefined;
}

/** Holds because only `splitServerUrl` makes shown addresses, and it lets no other scheme pass. */
function protocolOf(url: URL): Protocol {
  return url.protocol as Protocol;
}
