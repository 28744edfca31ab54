import ipaddr from 'ipaddr.js';
import { err, ok, type Result } from '@/lib/std/result';

export type AddressPolicy = {
  /** Networks in CIDR form in which private addresses and plain `ws` are allowed. */
  readonly networks: readonly string[];
};

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses inside of ordinary ranges that hand out a machine's credentials. Most others are link-local. */
const METADATA = [
  'fd00:ec2::/32', // Amazon
  'fd20:ce::254/128', // Google
  'fd00:42::42/128', // Scaleway
  '100.100.100.200/32', // Alibaba
  '192.0.0.192/32', // Oracle
  '168.63.129.16/32', // Azure
];

const PRIVATE_RANGES: ReadonlySet<string> = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/** The part of IPv6 that is given out to the public; whatever lies outside and is not private is nobody's server. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Where a network's own translator keeps the IPv4 address inside of these, only that network knows. */
const LOCAL_NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b:1::/48');

/**
 * Says whether the relay may connect to an address. Checked for each address of a name, at each connection.
 *
 * @returns the reason as part of a sentence: `is …; …`
 */
export function checkAddress(text: string, protocol: 'ws:' | 'wss:', policy: AddressPolicy): Result<null, string> {
  if (!ipaddr.isValid(text)) return err('is no address');
  const address = withoutMapping(ipaddr.parse(text));
  const range = address.range();
  if (isMetadata(address)) return err('is a metadata address, which is never allowed');
  if (range === 'linkLocal') return err('is link-local, which is never allowed');
  const embedded = embeddedIn(address);
  if (embedded.length > 0) {
    const hidden = embedded.find((inner) => inner.range() !== 'unicast' || isMetadata(inner));
    if (hidden !== undefined) return err(`hides ${hidden.toString()}, which is never allowed`);
  } else if (isIn(policy.networks, address)) {
    return PRIVATE_RANGES.has(range) || isPublic(address) ? ok(null) : err(neverAllowed(range));
  } else if (PRIVATE_RANGES.has(range)) {
    return err('is private; to allow it, add its network to ORRERY_DEVICE_NETWORKS');
  } else if (!isPublic(address)) {
    return err(neverAllowed(range));
  }
  if (protocol === 'wss:') return ok(null);
  return err('is public, where wss is needed; use wss:// or add its network to ORRERY_DEVICE_NETWORKS');
}

function neverAllowed(range: string): string {
  return `is not a unicast address (${range}), which is never allowed`;
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return isIpv4(address) || address.match(PUBLIC_IPV6);
}

function isMetadata(address: Address): boolean {
  return isIn(METADATA, address);
}

function isIn(networks: readonly string[], address: Address): boolean {
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, bits);
  });
}

/** An IPv4 address that is only written as IPv6 (`::ffff:127.0.0.1`) is the IPv4 address. */
function withoutMapping(address: Address): Address {
  return !isIpv4(address) && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** The IPv4 addresses that NAT64, 6to4, Teredo and the old compatible form carry inside. */
function embeddedIn(address: Address): readonly ipaddr.IPv4[] {
  if (isIpv4(address) || address.match(LOCAL_NAT64)) return [];
  const bytes = address.toByteArray();
  switch (address.range()) {
    case 'rfc6052':
      return [ipv4At(bytes, 12)];
    case '6to4':
      return [ipv4At(bytes, 2)];
    case 'teredo':
      return [
        ipv4At(bytes, 4),
        ipv4At(
          bytes.map((byte) => byte ^ 0xff),
          12,
        ),
      ];
    default:
      return [];
  }
}

function ipv4At(bytes: readonly number[], offset: number): ipaddr.IPv4 {
  return new ipaddr.IPv4(bytes.slice(offset, offset + 4));
}

function isIpv4(address: Address): address is ipaddr.IPv4 {
  return address.kind() === 'ipv4';
}
