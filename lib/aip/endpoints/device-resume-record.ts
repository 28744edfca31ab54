import type { CommandResult } from '@/lib/aip/messages';
import { jsonBytesOf } from './json-bytes';

/** What came of each action of one session, so that none is ever run twice. */
export type ResumeRecord = {
  resultOf(key: string): CommandResult | undefined;
  put(key: string, result: CommandResult): void;
};

/** What remembering an action costs beside its payload. */
const ENTRY_BYTES = 256;

/**
 * Keeps results up to a size. Beyond it the oldest payloads go first: a failure stands for them, since the action must
 * still not run again. Only when the mere names are too many are the oldest forgotten.
 *
 * @param bytesMax - of results as JSON and of their keys
 */
export function createResumeRecord(bytesMax: number): ResumeRecord {
  /** In order of age; an entry moves from the first map to the second one when its payload is dropped. */
  const whole = new Map<string, { readonly result: CommandResult; readonly bytes: number }>();
  const dropped = new Map<string, CommandResult>();
  let keptBytes = 0;

  function dropPayload(key: string, bytes: number) {
    whole.delete(key);
    keptBytes -= bytes;
    dropped.set(key, {
      status: 'failure',
      error: `The action ran, but its result of ${bytes} bytes was lost with the connection: a device keeps ${bytesMax} bytes of a session`,
    });
  }

  function forget(key: string) {
    dropped.delete(key);
    keptBytes -= nameBytes(key);
  }

  return {
    resultOf: (key) => whole.get(key)?.result ?? dropped.get(key),
    put(key, result) {
      if (whole.has(key) || dropped.has(key)) return;
      const bytes = jsonBytesOf(result, bytesMax + 1);
      whole.set(key, { result, bytes });
      keptBytes += bytes + nameBytes(key);
      for (const [oldKey, entry] of whole) {
        if (keptBytes <= bytesMax) return;
        dropPayload(oldKey, entry.bytes);
      }
      for (const oldKey of dropped.keys()) {
        if (keptBytes <= bytesMax) return;
        forget(oldKey);
      }
    },
  };
}

function nameBytes(key: string): number {
  return key.length + ENTRY_BYTES;
}
