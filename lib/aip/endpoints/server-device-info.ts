import { buildDeviceInfoQuestion, buildDeviceInfoResponse, type ClientMessage } from '@/lib/aip/messages';
import { registeredSystemInfo } from '@/lib/aip/protocol/registration';
import { withinTime } from '@/lib/aip/resilience/wait';
import type { Clock } from '@/lib/std/clock';
import type { JsonObject } from '@/lib/std/json';
import type { Random } from '@/lib/std/random';
import type { Peer, Registry } from './server-peer';

export type DeviceInfoOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly registry: Registry;
  readonly infoMs: number;
};

export type ServerDeviceInfo = {
  /** Answers a constellation; the answer may take the time that the device is given. */
  answer(asker: Peer, message: ClientMessage): Promise<void>;
  /** Takes what a device says of itself, asked or unasked. */
  take(device: Peer, message: ClientMessage): void;
  /** Ends the questions to a device that is gone. */
  forget(device: Peer): void;
};

type Question = { readonly responseId: string; readonly resolve: (info: JsonObject | undefined) => void };

/** A device that talks without being asked is listened to no more often than this. */
const UNASKED_MS = 5_000;

/**
 * What the server knows of devices. A stock constellation gets what the device said when it registered; with the
 * extension `device_info` on both sides the device is asked, and an answer from memory is marked `stale`.
 */
export function createServerDeviceInfo(options: DeviceInfoOptions): ServerDeviceInfo {
  const { clock, random, registry, infoMs } = options;
  const questions = new Map<Peer, Question[]>();
  const unaskedAtMs = new WeakMap<Peer, number>();

  async function ask(device: Peer): Promise<JsonObject | undefined> {
    const responseId = random.uuid();
    const answered = new Promise<JsonObject | undefined>((resolve) => {
      questions.set(device, [...(questions.get(device) ?? []), { responseId, resolve }]);
    });
    const sent = await device.protocol.send(buildDeviceInfoQuestion(responseId, clock.now()));
    const answer = sent.ok ? await withinTime(clock, infoMs, answered) : { inTime: false as const };
    drop(device, responseId);
    return answer.inTime ? answer.value : undefined;
  }

  function drop(device: Peer, responseId: string) {
    const left = (questions.get(device) ?? []).filter((question) => question.responseId !== responseId);
    if (left.length === 0) questions.delete(device);
    else questions.set(device, left);
  }

  async function infoFor(asker: Peer, targetId: string): Promise<JsonObject> {
    const unknown = { error: `Device ${targetId} not found or no system info available` };
    const device = registry.device(targetId);
    if (!device) return unknown;
    if (!asker.extensions.includes('device_info')) return device.systemInfo ?? unknown;
    const fresh = device.extensions.includes('device_info') ? await ask(device) : undefined;
    if (fresh) return fresh;
    // A device that left meanwhile is unknown, as it would be to the next question.
    if (registry.device(targetId) !== device || !device.systemInfo) return unknown;
    return { ...device.systemInfo, stale: true };
  }

  return {
    async answer(asker, message) {
      const result = await infoFor(asker, message.target_id ?? '');
      await asker.protocol.send(buildDeviceInfoResponse({ responseId: message.request_id, result }, clock.now()));
    },
    take(device, message) {
      const info = registeredSystemInfo(message);
      if (!device.extensions.includes('device_info')) return;
      const question = questions.get(device)?.find(({ responseId }) => responseId === message.prev_response_id);
      if (question) {
        if (info) device.systemInfo = info;
        question.resolve(info);
        return;
      }
      const lastMs = unaskedAtMs.get(device);
      if (!info || (lastMs !== undefined && clock.now() - lastMs < UNASKED_MS)) return;
      unaskedAtMs.set(device, clock.now());
      device.systemInfo = info;
    },
    forget(device) {
      for (const question of questions.get(device) ?? []) question.resolve(undefined);
      questions.delete(device);
    },
  };
}
