import ipaddr from 'ipaddr.js';

/** True for addresses and names that only this machine reaches. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
