import { buildDeviceInfoRequest, type ClientMessage, type ServerMessage } from '@/lib/aip/messages';
import type { SendFailure } from '@/lib/aip/protocol/aip-protocol';
import { readInfoAnswer } from '@/lib/aip/protocol/device-info';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import type { Result } from '@/lib/std/result';
import type { DeviceInfoAnswer } from './constellation-types';

export type InfoRequestsOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly clientId: string;
  readonly targetId: string;
  readonly timing: { readonly infoMs: number };
  /** Whether the server asks the device itself. */
  readonly isAgreed: boolean;
  readonly send: (message: ClientMessage) => Promise<Result<null, SendFailure>>;
};

export type InfoRequests = {
  request(): Promise<DeviceInfoAnswer>;
  answer(requestId: string, answer: ServerMessage): void;
  failAll(reason: 'closed', message: string): void;
};

/** A server that asks the device gives it the whole time and answers from memory after it; that answer must still find us. */
const GRACE_MS = 2_000;

/** Questions about the device that are on their way, matched with their answers by id. */
export function createInfoRequests(options: InfoRequestsOptions): InfoRequests {
  const { clock, random, clientId, targetId, timing, isAgreed, send } = options;
  const waiting = new Map<string, (answer: DeviceInfoAnswer) => void>();

  function settle(requestId: string, answer: DeviceInfoAnswer) {
    const resolve = waiting.get(requestId);
    waiting.delete(requestId);
    resolve?.(answer);
  }

  return {
    async request() {
      const requestId = `device_info_${targetId}_${random.hex(8)}`;
      const waitMs = isAgreed ? timing.infoMs + GRACE_MS : timing.infoMs;
      const answered = new Promise<DeviceInfoAnswer>((resolve) => waiting.set(requestId, resolve));
      const stopTimer = clock.after(waitMs, () => {
        const message = `The server did not answer within ${waitMs} ms`;
        settle(requestId, { ok: false, reason: 'timeout', message });
      });
      const sent = await send(buildDeviceInfoRequest({ clientId, targetId, requestId }, clock.now()));
      if (!sent.ok) settle(requestId, { ok: false, reason: 'closed', message: sent.error.message });
      const answer = await answered;
      stopTimer();
      return answer;
    },
    answer(requestId, message) {
      const read = readInfoAnswer(message);
      if (!read.ok) settle(requestId, { ok: false, ...read.error });
      else settle(requestId, { ok: true, info: read.value.info, fresh: isAgreed && !read.value.isStale });
    },
    failAll(reason, message) {
      for (const requestId of [...waiting.keys()]) settle(requestId, { ok: false, reason, message });
    },
  };
}
