import type { ServerMessage } from '@/lib/aip/messages';
import { isJsonObject, type JsonObject } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';

export type InfoFailure = { readonly reason: 'unknown-device' | 'invalid'; readonly message: string };

/** What an answer to DEVICE_INFO_REQUEST says; an `error` inside a successful answer means that there is no such device. */
export function readInfoAnswer(
  answer: ServerMessage,
): Result<{ readonly info: JsonObject; readonly isStale: boolean }, InfoFailure> {
  if (answer.status === 'error') {
    return err({ reason: 'invalid', message: answer.error ?? 'The server answered with status error' });
  }
  const { result } = answer;
  if (result === undefined || !isJsonObject(result)) {
    return err({ reason: 'invalid', message: 'Expected the device information as an object, got something else' });
  }
  if ('error' in result) {
    const message = typeof result.error === 'string' ? result.error : 'The server knows no such device';
    return err({ reason: 'unknown-device', message });
  }
  const { stale, ...info } = result;
  return ok({ info, isStale: stale === true });
}
