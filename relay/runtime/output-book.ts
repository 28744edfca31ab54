import { OUTPUT_PREFIX, type OutputMark } from '@/lib/relay-protocol/output';
import { runStream, type StreamName } from '@/lib/relay-protocol/streams';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { RunId, TaskId } from '@/lib/std/ids';
import { cleanLine } from './clean-line';
import type { Register, TaskOutput } from './runtime-port';

/** Of one task, in bytes of UTF-8 with a line end each; the newest lines stay. */
const TASK_BYTES_MAX = 65_536;
/** With the limit above this is all that output may ever take: 64 MiB. */
const TASKS_MAX = 1_000;
/** Faster than this nobody reads. */
const PUBLISH_EVERY_MS = 200;

type AttemptKey = { readonly runId: RunId; readonly taskId: TaskId; readonly attempt: number };

type Entry = AttemptKey & {
  /** Of the task's register; never given to another one. */
  readonly number: number;
  readonly isLive: boolean;
  /** The number of the first line that is kept, counted from 0; so many are left out. */
  firstLine: number;
  lines: { readonly text: string; readonly bytes: number }[];
  bytes: number;
  isOver: boolean;
  publishedAtMs: number;
  version: number;
  timer: CancelTimer | undefined;
};

/**
 * What tasks have put out while they ran: the newest lines of the newest attempt of each. In memory only, since it says
 * how a task goes and the task's result says what came of it.
 *
 * What is published is a mark, how far the lines reach, and whoever looks at the task fetches them; so output costs
 * nobody anything who does not look.
 */
export type OutputBook = {
  /** The output of an older attempt is forgotten. */
  begin(key: AttemptKey, isLive: boolean): void;
  /** Lines of an attempt that is not the newest one are dropped. */
  add(key: AttemptKey, lines: readonly string[]): void;
  /** The attempt is over: what it has put out stays for as long as there is room. */
  end(key: AttemptKey): void;
  /** The lines from number `after` on, or from the first that is kept; undefined when nothing is known. */
  read(task: Pick<AttemptKey, 'runId' | 'taskId'>, after: number): TaskOutput | undefined;
  registers(stream: StreamName): readonly Register[];
  close(): void;
};

export function createOutputBook(clock: Clock, publish: (register: Register) => void): OutputBook {
  const entries = new Map<string, Entry>();
  let numbers = 0;

  function current({ runId, taskId, attempt }: AttemptKey): Entry | undefined {
    const entry = entries.get(`${runId}/${taskId}`);
    return entry?.attempt === attempt ? entry : undefined;
  }

  function forget(key: string): void {
    entries.get(key)?.timer?.();
    entries.delete(key);
  }

  /** The oldest that is over goes first, else the oldest. */
  function makeRoom(): void {
    while (entries.size > TASKS_MAX) {
      const keys = [...entries];
      const [key] = keys.find(([, { isOver }]) => isOver) ?? keys[0] ?? [];
      if (key === undefined) return;
      forget(key);
    }
  }

  function publishNow(entry: Entry): void {
    entry.timer = undefined;
    const nowMs = clock.now();
    entry.publishedAtMs = nowMs;
    // Grows across restarts too, as long as the clock does.
    entry.version = Math.max(entry.version + 1, Math.floor(nowMs));
    publish(registerOf(entry));
  }

  function publishSoon(entry: Entry): void {
    if (entry.timer !== undefined) return;
    const waitMs = entry.publishedAtMs + PUBLISH_EVERY_MS - clock.now();
    if (waitMs <= 0) publishNow(entry);
    else entry.timer = clock.after(waitMs, () => publishNow(entry));
  }

  return {
    begin({ runId, taskId, attempt }, isLive) {
      const key = `${runId}/${taskId}`;
      const known = entries.get(key);
      if (known === undefined) numbers += 1;
      forget(key);
      const entry: Entry = {
        number: known?.number ?? numbers,
        runId,
        taskId,
        attempt,
        isLive,
        firstLine: 0,
        lines: [],
        bytes: 0,
        isOver: false,
        publishedAtMs: 0,
        version: known?.version ?? 0,
        timer: undefined,
      };
      entries.set(key, entry);
      makeRoom();
      publishNow(entry);
    },
    add(key, lines) {
      const entry = current(key);
      if (entry === undefined || lines.length === 0) return;
      for (const line of lines) {
        const text = cleanLine(line);
        const bytes = Buffer.byteLength(text) + 1;
        entry.lines.push({ text, bytes });
        entry.bytes += bytes;
      }
      let left = 0;
      while (entry.bytes > TASK_BYTES_MAX) {
        entry.bytes -= entry.lines[left]?.bytes ?? 0;
        left += 1;
      }
      if (left > 0) entry.lines.splice(0, left);
      entry.firstLine += left;
      publishSoon(entry);
    },
    end(key) {
      const entry = current(key);
      if (entry !== undefined) entry.isOver = true;
    },
    read({ runId, taskId }, after) {
      const entry = entries.get(`${runId}/${taskId}`);
      if (entry === undefined) return undefined;
      const { firstLine, lines, attempt, isLive } = entry;
      const nextLine = firstLine + lines.length;
      const start = after >= firstLine && after <= nextLine ? after : firstLine;
      const texts = lines.slice(start - firstLine).map(({ text }) => text);
      return { attempt, isLive, firstLine, startLine: start, nextLine, lines: texts };
    },
    registers: (stream) =>
      [...entries.values()].filter(({ runId }) => runStream(runId) === stream).map((entry) => registerOf(entry)),
    close() {
      for (const key of [...entries.keys()]) forget(key);
    },
  };
}

function registerOf({ number, runId, version, ...entry }: Entry): Register {
  const { taskId, attempt, isLive, firstLine, lines } = entry;
  const value: OutputMark = { taskId, attempt, isLive, firstLine, nextLine: firstLine + lines.length };
  return { stream: runStream(runId), key: `${OUTPUT_PREFIX}${number}`, version, value };
}
