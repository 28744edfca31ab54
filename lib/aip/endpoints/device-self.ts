import { manifestMembers } from '@/lib/aip/messages';
import { withinTime } from '@/lib/aip/resilience/wait';
import type { JsonObject } from '@/lib/std/json';
import type { DeviceClientOptions } from './device-client-types';

/** What a device says about itself, collected anew each time. */
export type DeviceSelf = {
  /** For REGISTER: what can be told of `system_info`, `capabilities`, `os_version` and `tools`. */
  describe(): Promise<JsonObject>;
  /** What the machine is, alone; undefined when it cannot be told. */
  systemInfo(): Promise<JsonObject | undefined>;
};

/** How long the device may take to say what it is; a server is told that much sooner than it gives up waiting. */
const COLLECT_MS = 8_000;

export function createDeviceSelf(
  options: Pick<DeviceClientOptions, 'clock' | 'logger' | 'systemInfo' | 'manifest'>,
): DeviceSelf {
  const systemInfo = shared(() => collect('system-info', options.systemInfo));
  const manifest = shared(async () => options.manifest && (await collect('manifest', options.manifest)));

  async function collect<Value>(what: string, ask: () => Promise<Value>): Promise<Value | undefined> {
    try {
      const asked = Promise.resolve().then(ask);
      const collected = await withinTime(options.clock, COLLECT_MS, asked);
      if (collected.inTime) return collected.value;
      options.logger.warn(`${what}-failed`, { message: `Not collected within ${COLLECT_MS} ms` });
    } catch (cause) {
      // A device that cannot describe itself is still of use.
      options.logger.warn(`${what}-failed`, { message: cause instanceof Error ? cause.message : String(cause) });
    }
    return undefined;
  }

  return {
    systemInfo,
    async describe() {
      const [info, able] = await Promise.all([systemInfo(), manifest()]);
      return { ...(info && { system_info: info }), ...(able && manifestMembers(able)) };
    },
  };
}

/**
 * Collects once at a time, and once more for all who asked meanwhile: a peer's questions must not multiply the work, and
 * nobody gets an answer that is older than the question.
 */
function shared<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  let next: Promise<Value> | undefined;

  function begin(): Promise<Value> {
    next = undefined;
    running = ask().finally(() => {
      running = undefined;
    });
    return running;
  }

  return () => {
    if (!running) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
}
