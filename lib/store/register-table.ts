import type { DownFrame } from '@/lib/relay-protocol/down';
import { OUTPUT_PREFIX, outputMarkSchema } from '@/lib/relay-protocol/output';
import { FLEET_STREAM, runIdOf, type StreamName } from '@/lib/relay-protocol/streams';
import { deviceIdSchema, type RunId } from '@/lib/std/ids';
import type { BoardState, OutputMarks } from './board-state';

type RegisterFrame = Extract<DownFrame, { type: 'register' }>;

/** The newest values of registers, beside the streams that they come with. */
export type RegisterTable = {
  /** @returns whether the value was of a known kind, and newer than the one kept */
  take(frame: RegisterFrame): boolean;
  /** Nobody looks at the stream any more; when somebody does again, the relay sends its registers again. */
  forget(stream: StreamName): void;
  /** A relay that started anew counts versions anew, and sends every register again. */
  welcome(): void;
  heardAtMs(): BoardState['heardAtMs'];
  outputMarks(): OutputMarks;
};

const HEARD_PREFIX = 'heard/';

export function createRegisterTable(): RegisterTable {
  const versions = new Map<string, number>();
  let heard: BoardState['heardAtMs'] = new Map();
  let marks: OutputMarks = new Map();

  function takeHeard({ key, value }: RegisterFrame): boolean {
    const deviceId = deviceIdSchema.safeParse(key.slice(HEARD_PREFIX.length));
    if (!deviceId.success || typeof value !== 'number') return false;
    heard = new Map(heard).set(deviceId.data, value);
    return true;
  }

  function takeMark(runId: RunId, value: unknown): boolean {
    const mark = outputMarkSchema.safeParse(value);
    if (!mark.success) return false;
    marks = new Map(marks).set(runId, new Map(marks.get(runId)).set(mark.data.taskId, mark.data));
    return true;
  }

  function takeValue(frame: RegisterFrame): boolean {
    const runId = runIdOf(frame.stream);
    if (runId !== undefined && frame.key.startsWith(OUTPUT_PREFIX)) return takeMark(runId, frame.value);
    return frame.stream === FLEET_STREAM && frame.key.startsWith(HEARD_PREFIX) && takeHeard(frame);
  }

  return {
    take(frame) {
      const name = `${frame.stream} ${frame.key}`;
      const known = versions.get(name);
      if (known !== undefined && known >= frame.version) return false;
      if (!takeValue(frame)) return false;
      versions.set(name, frame.version);
      return true;
    },
    forget(stream) {
      const runId = runIdOf(stream);
      if (runId === undefined || !marks.has(runId)) return;
      const left = new Map(marks);
      left.delete(runId);
      marks = left;
      for (const name of [...versions.keys()]) if (name.startsWith(`${stream} `)) versions.delete(name);
    },
    welcome() {
      versions.clear();
      if (marks.size > 0) marks = new Map();
    },
    heardAtMs: () => heard,
    outputMarks: () => marks,
  };
}
