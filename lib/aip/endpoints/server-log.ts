import { buildLogNotice } from '@/lib/aip/messages';
import type { Clock } from '@/lib/std/clock';
import { encodeUtf8 } from '@/lib/std/utf8';
import { createSessionLog, LOG_FRAME_BYTES_MAX } from './device-log';
import { isConnected, type Peer } from './server-peer';

/** The output of a running task on its way from the device to whoever asked for the task. */
export type ServerLog = {
  add(lines: readonly string[]): void;
  /** Resolves when all lines so far have been handed over, or nobody takes them any more. */
  flush(): Promise<void>;
  /** The last lines that were passed on, within the size of one frame. */
  tail(): readonly string[];
  stop(): void;
};

/**
 * Passes lines on in order and within the limits of the extension, whatever the device sends: what comes too fast is
 * merged, what is too much is left out and counted.
 */
export function createServerLog(options: {
  readonly clock: Clock;
  readonly requester: Peer;
  readonly sessionId: string;
}): ServerLog {
  const { clock, requester, sessionId } = options;
  const tail = createTail(LOG_FRAME_BYTES_MAX);
  const log = createSessionLog({
    clock,
    outlet() {
      if (!isConnected(requester)) return undefined;
      return (lines) => {
        tail.add(lines);
        return requester.protocol.send(buildLogNotice({ sessionId, lines }, clock.now()));
      };
    },
  });
  return {
    add(lines) {
      for (const line of lines) log.add(line);
    },
    flush: log.flush,
    tail: tail.lines,
    stop: log.stop,
  };
}

/** @param bytesMax - of the lines as a JSON list */
function createTail(bytesMax: number) {
  let kept: { readonly text: string; readonly bytes: number }[] = [];
  let bytes = 2;
  return {
    add(lines: readonly string[]) {
      for (const text of lines) {
        const size = encodeUtf8(JSON.stringify(text)).length + 1;
        kept.push({ text, bytes: size });
        bytes += size;
      }
      let left = 0;
      while (bytes > bytesMax) {
        bytes -= kept[left]?.bytes ?? 0;
        left += 1;
      }
      if (left > 0) kept = kept.slice(left);
    },
    lines: () => kept.map(({ text }) => text),
  };
}
