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
 * still not run again. When their mere names take more than half of the room, those are forgotten, too.
 *
 * @param bytesMax - of results as JSON and of their keys
 */
export function createResumeRecord(bytesMax: number): ResumeRecord {
  /** In order of age; an entry moves from the first map to the second one when its payload is dropped. */
  const whole = new Map<string, { readonly result: CommandResult; readonly bytes: number }>();
  const dropped = new Map<string, CommandResult>();
  let payloadBytes = 0;
  let namesBytes = 0;

  function lost(bytes: number): CommandResult {
    const reason = `a device keeps ${bytesMax} bytes of a session`;
    return {
      status: 'failure',
      error: `The action ran, but its result of ${bytes} bytes was lost with the connection: ${reason}`,
    };
  }

  function dropPayload(key: string, bytes: number) {
    whole.delete(key);
    payloadBytes -= bytes;
    dropped.set(key, lost(bytes));
  }

  function makeRoom() {
    for (const [key, { bytes }] of whole) {
      if (payloadBytes + namesBytes <= bytesMax) break;
      dropPayload(key, bytes);
    }
    for (const key of dropped.keys()) {
      if (namesBytes <= bytesMax / 2) break;
      dropped.delete(key);
      namesBytes -= nameBytes(key);
    }
  }

  return {
    resultOf: (key) => whole.get(key)?.result ?? dropped.get(key),
    put(key, result) {
      if (whole.has(key) || dropped.has(key)) return;
      namesBytes += nameBytes(key);
      const bytes = jsonBytesOf(result, bytesMax);
      if (bytes >= bytesMax) dropped.set(key, lost(bytes));
      else {
        whole.set(key, { result, bytes });
        payloadBytes += bytes;
      }
      makeRoom();
    },
  };
}

function nameBytes(key: string): number {
  return key.length + ENTRY_BYTES;
}
