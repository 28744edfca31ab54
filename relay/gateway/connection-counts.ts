import ipaddr from 'ipaddr.js';

export type ConnectionLimits = { readonly connectionsMax: number; readonly connectionsPerAddressMax: number };

/** How many sockets are open, in all and by address. An IPv6 /64 is one address: that is what one customer gets. */
export class ConnectionCounts {
  readonly #limits: ConnectionLimits;
  readonly #byAddress = new Map<string, number>();
  #total = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** @returns how to give the place back, or which limit is reached */
  take(remoteAddress: string | undefined): (() => void) | 'total' | 'address' {
    if (this.#total >= this.#limits.connectionsMax) return 'total';
    const key = addressKey(remoteAddress);
    const held = this.#byAddress.get(key) ?? 0;
    if (held >= this.#limits.connectionsPerAddressMax) return 'address';
    this.#total += 1;
    this.#byAddress.set(key, held + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#total -= 1;
      const left = (this.#byAddress.get(key) ?? 1) - 1;
      if (left <= 0) this.#byAddress.delete(key);
      else this.#byAddress.set(key, left);
    };
  }

  get total(): number {
    return this.#total;
  }
}

function addressKey(remoteAddress: string | undefined): string {
  if (remoteAddress === undefined || !ipaddr.isValid(remoteAddress)) return 'unknown';
  const address = ipaddr.process(remoteAddress);
  if (address.kind() === 'ipv4') return address.toString();
  return address.toNormalizedString().split(':').slice(0, 4).join(':');
}
