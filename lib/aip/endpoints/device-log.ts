import type { CancelTimer, Clock } from '@/lib/std/clock';
import { encodeUtf8 } from '@/lib/std/utf8';

/** Hands one frame of lines to the socket; resolves when the socket has taken it. */
export type LogOutlet = (lines: readonly string[]) => Promise<unknown>;

export type SessionLog = {
  /** Takes what a command prints; several lines at once are told apart. */
  add(text: string): void;
  /** Tries to send now: there is a new connection. */
  wake(): void;
  /** Resolves when all lines so far have been handed over, or cannot be for want of a connection. */
  flush(): Promise<void>;
  /** Drops what waits. */
  stop(): void;
};

export type SessionLogOptions = {
  readonly clock: Clock;
  /** Undefined while there is no connection that wants lines; they wait, the oldest ones are dropped. */
  readonly outlet: () => LogOutlet | undefined;
};

/** The limits of the extension: `messages` as JSON, and frames within any second, of one session. */
export const LOG_FRAME_BYTES_MAX = 65_536;
export const LOG_FRAMES_PER_SECOND_MAX = 20;

const SECOND_MS = 1_000;
/** While lines come in a stream, so that they come evenly and not in one burst a second. */
const SPACING_MS = SECOND_MS / LOG_FRAMES_PER_SECOND_MAX;
/** Room for the brackets and for the line that says how many are left out. */
const WAITING_BYTES_MAX = LOG_FRAME_BYTES_MAX - 64;
/** At six bytes for each unit, as escapes have them at worst, a piece still fits into a frame. */
const LINE_UNITS_MAX = 8_192;

type Line = { readonly text: string; readonly bytes: number };

/** The output of one session's commands on its way: in order, merged where it comes too fast, never without limits. */
export function createSessionLog({ clock, outlet }: SessionLogOptions): SessionLog {
  let waiting: Line[] = [];
  /** Those before it are dropped; taking each one out by itself would move all others. */
  let firstWaiting = 0;
  let waitingBytes = 0;
  let droppedLines = 0;
  /** Of the last frames, the oldest first. */
  const sentAtMs: number[] = [];
  let isSending = false;
  let isScheduled = false;
  let stopTimer: CancelTimer = () => {};
  let flushing: (() => void)[] = [];

  function delayMs(): number {
    const nowMs = clock.now();
    const [oldestMs] = sentAtMs;
    const isFull = sentAtMs.length === LOG_FRAMES_PER_SECOND_MAX;
    const forRateMs = isFull && oldestMs !== undefined ? oldestMs + SECOND_MS - nowMs : 0;
    const lastMs = sentAtMs.at(-1);
    // Whoever flushes has an answer that waits behind the lines.
    const forSpacingMs = lastMs === undefined || flushing.length > 0 ? 0 : lastMs + SPACING_MS - nowMs;
    // A clock that was set back must not hold lines for longer than the rule could.
    return Math.min(Math.max(forRateMs, forSpacingMs, 0), SECOND_MS);
  }

  function pump() {
    stopTimer();
    if (isSending) return;
    const send = outlet();
    if (!send || isEmpty()) {
      const resolvers = flushing;
      flushing = [];
      for (const resolve of resolvers) resolve();
      return;
    }
    const waitMs = delayMs();
    if (waitMs > 0) {
      stopTimer = clock.after(waitMs, pump);
      return;
    }
    isSending = true;
    sentAtMs.push(clock.now());
    if (sentAtMs.length > LOG_FRAMES_PER_SECOND_MAX) sentAtMs.shift();
    const done = () => {
      isSending = false;
      pump();
    };
    // A frame that was not taken was told by the one who sends; its lines are lost with the connection.
    send(take()).then(done, done);
  }

  function isEmpty() {
    return waiting.length === firstWaiting && droppedLines === 0;
  }

  function take(): readonly string[] {
    const lines = waiting.slice(firstWaiting).map(({ text }) => text);
    if (droppedLines > 0) lines.unshift(`[${droppedLines} lines left out]`);
    waiting = [];
    firstWaiting = 0;
    waitingBytes = 0;
    droppedLines = 0;
    return lines;
  }

  function push(text: string) {
    const line = { text, bytes: encodeUtf8(JSON.stringify(text)).length + 1 };
    waiting.push(line);
    waitingBytes += line.bytes;
    while (waitingBytes > WAITING_BYTES_MAX) {
      waitingBytes -= waiting[firstWaiting]?.bytes ?? 0;
      firstWaiting += 1;
      droppedLines += 1;
    }
    if (firstWaiting * 2 <= waiting.length) return;
    waiting = waiting.slice(firstWaiting);
    firstWaiting = 0;
  }

  return {
    add(text) {
      for (const line of text.split(/\r?\n/)) for (const piece of piecesOf(line)) push(piece);
      if (isScheduled) return;
      isScheduled = true;
      // What is printed in one go travels in one frame.
      void Promise.resolve().then(() => {
        isScheduled = false;
        pump();
      });
    },
    wake: pump,
    flush() {
      return new Promise((resolve) => {
        flushing.push(resolve);
        pump();
      });
    },
    stop() {
      take();
      pump();
    },
  };
}

/** A line that is longer than any frame goes in pieces, none of which ends in half a character. */
function* piecesOf(line: string): Generator<string> {
  let from = 0;
  while (line.length - from > LINE_UNITS_MAX) {
    const end = from + LINE_UNITS_MAX;
    const isSplit = (line.codePointAt(end - 1) ?? 0) > 0xffff;
    yield line.slice(from, isSplit ? end - 1 : end).toWellFormed();
    from = isSplit ? end - 1 : end;
  }
  yield line.slice(from).toWellFormed();
}
