import type { DeviceProfile } from '@/lib/fleet/device';
import type { DeviceId } from '@/lib/std/ids';
import type { AddressPolicy } from './address-policy';
import type { AttemptKey } from './attempt-queue';
import { DeviceLink, type DeviceLinkOptions } from './device-link';
import { createHostBudget } from './host-budget';
import type { AttemptOrder, LinkHost } from './link-host';
import { LINK_TIMING, type LinkTiming } from './link-timing';

/** All device links, one per device. Follows what was committed; decides nothing. */
export type LinkPool = {
  /** A device that is new, or was known before this start. */
  add(profile: DeviceProfile): void;
  edit(profile: DeviceProfile): void;
  remove(deviceId: DeviceId): void;
  refresh(deviceId: DeviceId): void;
  reconnect(deviceId: DeviceId): void;
  enqueue(order: AttemptOrder): void;
  withdraw(deviceId: DeviceId, key: AttemptKey): void;
  cancel(order: AttemptOrder): void;
  /** Closes every link; attempts under way are told as lost. */
  close(): Promise<void>;
};

export type LinkPoolOptions = Omit<DeviceLinkOptions, 'host' | 'timing' | 'policy' | 'budget'> & {
  readonly timing?: Partial<LinkTiming>;
  readonly policyFor: (deviceId: DeviceId) => AddressPolicy;
};

/** Makes the pool once the runtime that it reports to stands. */
export type LinkPoolMaker = (host: LinkHost) => LinkPool;

export function linkPoolMaker({ timing, policyFor, ...options }: LinkPoolOptions): LinkPoolMaker {
  return (host) => {
    const links = new Map<DeviceId, DeviceLink>();
    const budget = createHostBudget(() => options.clock.now());
    const { logger } = options;

    function remove(deviceId: DeviceId): void {
      const link = links.get(deviceId);
      links.delete(deviceId);
      link?.dismiss('the device was removed').catch((cause: unknown) => {
        logger.error('link-report-failed', { deviceId, reason: String(cause) });
      });
    }

    return {
      add(profile) {
        const { deviceId } = profile;
        const full = { ...options, host, budget, policy: policyFor(deviceId), timing: { ...LINK_TIMING, ...timing } };
        const link = new DeviceLink(profile, full);
        links.set(deviceId, link);
        if (profile.autoConnect) link.start();
      },
      edit: (profile) => links.get(profile.deviceId)?.edit(profile),
      remove,
      refresh: (deviceId) => links.get(deviceId)?.refresh(),
      reconnect: (deviceId) => links.get(deviceId)?.reconnect(),
      enqueue: (order) => links.get(order.deviceId)?.enqueue(order),
      withdraw: (deviceId, key) => links.get(deviceId)?.withdraw(key),
      cancel: (order) => links.get(order.deviceId)?.cancel(order),
      async close() {
        await Promise.all([...links.values()].map((link) => link.stop('the relay was stopped')));
        links.clear();
      },
    };
  };
}
