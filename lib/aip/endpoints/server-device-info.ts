import { buildDeviceInfoQuestion, buildDeviceInfoResponse, type ClientMessage } from '@/lib/aip/messages';
import { mergeDeviceConfig } from '@/lib/aip/protocol/device-config';
import { withinTime } from '@/lib/aip/resilience/wait';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { JsonObject } from '@/lib/std/json';
import type { Random } from '@/lib/std/random';
import { hasAgreed, type Peer, type Registry } from './server-peer';
import { type DeviceProfile, extendedInfoOf, mergeProfiles, profileOf } from './server-profile';

export type DeviceInfoOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly registry: Registry;
  readonly infoMs: number;
  /** What the server's operator knows of a device. */
  readonly deviceConfig?: ((deviceId: string) => JsonObject | undefined) | undefined;
};

export type ServerDeviceInfo = {
  /** Answers a constellation; the answer may take the time that the device is given. */
  answer(asker: Peer, message: ClientMessage): Promise<void>;
  /** Takes what a device says of itself, asked or unasked. */
  take(device: Peer, message: ClientMessage): void;
  /** Ends the questions to a device that is gone. */
  forget(device: Peer): void;
};

type Question = {
  readonly responseId: string;
  readonly answer: Promise<DeviceProfile | undefined>;
  readonly resolve: (profile: DeviceProfile | undefined) => void;
};

/** What a device says unasked is passed on no more often than this; the newest counts. */
const PASS_ON_MS = 5_000;
const UNREAD_BYTES_MAX = 1_048_576;
/** Questions to one device that are under way; who asks beyond that shares the answer to the newest. */
const QUESTIONS_MAX = 8;

/**
 * What the server knows of devices. A stock constellation gets what the device said when it registered; with the
 * extension `device_info` on both sides the device is asked, an answer from memory is marked `stale`, and what the
 * device says unasked is passed on to those who registered for it.
 */
export function createServerDeviceInfo(options: DeviceInfoOptions): ServerDeviceInfo {
  const { clock, random, registry, infoMs, deviceConfig } = options;
  const questions = new Map<Peer, Question[]>();
  const passing = new Map<Peer, { readonly lastMs: number; readonly stopTimer: CancelTimer | undefined }>();

  /** What the device has said, with what its server's operator knows beside it. */
  function knownOf({ id, profile }: Peer): DeviceProfile {
    const { systemInfo } = profile;
    const config = systemInfo && deviceConfig?.(id);
    return config ? { ...profile, systemInfo: mergeDeviceConfig(systemInfo, config) } : profile;
  }

  function ask(device: Peer): Promise<DeviceProfile | undefined> {
    const open = questions.get(device) ?? [];
    const newest = open.at(-1);
    if (newest && open.length >= QUESTIONS_MAX) return newest.answer;
    const responseId = random.uuid();
    let resolve: Question['resolve'] = () => {};
    const answered = new Promise<DeviceProfile | undefined>((settle) => {
      resolve = settle;
    });
    const answer = askAndWait(device, responseId, answered);
    questions.set(device, [...open, { responseId, answer, resolve }]);
    return answer;
  }

  async function askAndWait(device: Peer, responseId: string, answered: Promise<DeviceProfile | undefined>) {
    // Not awaited: a device that reads nothing must not take longer than the answer may.
    device.protocol.send(buildDeviceInfoQuestion(responseId, clock.now())).then(
      (sent) => {
        if (!sent.ok) settle(device, responseId, undefined);
      },
      () => settle(device, responseId, undefined), // told by the connection, whose end it is
    );
    const answer = await withinTime(clock, infoMs, answered);
    const left = (questions.get(device) ?? []).filter((question) => question.responseId !== responseId);
    if (left.length === 0) questions.delete(device);
    else questions.set(device, left);
    return answer.inTime ? answer.value : undefined;
  }

  function settle(device: Peer, responseId: string | undefined, profile: DeviceProfile | undefined): boolean {
    const question = questions.get(device)?.find((open) => open.responseId === responseId);
    question?.resolve(profile);
    return question !== undefined;
  }

  async function infoFor(asker: Peer, targetId: string): Promise<JsonObject> {
    const unknown = { error: `Device ${targetId} not found or no system info available` };
    const device = registry.device(targetId);
    if (!device) return unknown;
    if (!hasAgreed(asker, 'device_info')) return knownOf(device).systemInfo ?? unknown;
    const fresh = hasAgreed(device, 'device_info') ? await ask(device) : undefined;
    // A device that left meanwhile is unknown, as it would be to the next question.
    if (registry.device(targetId) !== device) return unknown;
    const info = extendedInfoOf(knownOf(device));
    if (!info) return unknown;
    return fresh?.systemInfo ? info : { ...info, stale: true };
  }

  /** Soon after the last time, this waits; meanwhile newer words take the place of older ones. */
  function passOn(device: Peer) {
    const past = passing.get(device);
    if (past?.stopTimer) return;
    const leftMs = past ? Math.min(Math.max(past.lastMs + PASS_ON_MS - clock.now(), 0), PASS_ON_MS) : 0;
    if (past && leftMs > 0) {
      passing.set(device, { ...past, stopTimer: clock.after(leftMs, () => tellWatchers(device)) });
    } else tellWatchers(device);
  }

  function tellWatchers(device: Peer) {
    passing.set(device, { lastMs: clock.now(), stopTimer: undefined });
    const result = extendedInfoOf(knownOf(device));
    if (!result) return;
    for (const watcher of registry.watchersOf(device.id)) {
      // To one that has stopped reading, words of which the next make these worthless must not pile up.
      const isReading = watcher.protocol.transport.bufferedBytes < UNREAD_BYTES_MAX;
      if (!isReading || !hasAgreed(watcher, 'device_info')) continue;
      // Whoever is gone by now needs no word, and its connection tells of its end.
      watcher.protocol
        .send(buildDeviceInfoResponse({ responseId: undefined, result }, clock.now()))
        .catch(() => watcher.protocol.transport.terminate());
    }
  }

  return {
    async answer(asker, message) {
      const result = await infoFor(asker, message.target_id ?? '');
      await asker.protocol.send(buildDeviceInfoResponse({ responseId: message.request_id, result }, clock.now()));
    },
    take(device, message) {
      if (!hasAgreed(device, 'device_info')) return;
      const said = profileOf(message.metadata);
      device.profile = mergeProfiles(device.profile, said);
      const isAnswer = settle(device, message.prev_response_id, said);
      if (!isAnswer && said.systemInfo) passOn(device);
    },
    forget(device) {
      passing.get(device)?.stopTimer?.();
      passing.delete(device);
      for (const question of questions.get(device) ?? []) question.resolve(undefined);
      questions.delete(device);
    },
  };
}
