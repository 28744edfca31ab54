import type { Fleet } from '@/lib/fleet/device';
import type { Command, Role } from '@/lib/relay-protocol/commands';
import type { StreamEvent } from '@/lib/relay-protocol/down';
import type { Cursor, Position, StreamName } from '@/lib/relay-protocol/streams';
import type { Refusal, RunCreate } from '@/lib/run/commands';
import type { Run } from '@/lib/run/run';
import type { RunSummary } from '@/lib/run/run-summary';
import type { CommandId, DeviceId, RunId, TaskId } from '@/lib/std/ids';
import type { JsonValue } from '@/lib/std/json';

/** Who sends a command; known from the session or the token, never from a frame. */
export type Actor = { readonly name: string; readonly role: Role; readonly via: 'ui' | 'api' | 'relay' };

/** A command with who sent it. The same `commandId` of the same actor twice gives the first verdict again. */
export type CommandInput = {
  readonly commandId: CommandId;
  readonly actor: Actor;
  readonly command: Command | RunCreate;
  /** Unix milliseconds; later the command is refused as expired. */
  readonly deadlineMs?: number;
};

/** Given only after what it says is on disk. */
export type Verdict =
  | { readonly status: 'accepted' | 'duplicate'; readonly positions: readonly Position[] }
  | { readonly status: 'rejected'; readonly refusal: Refusal };

/** What was committed, in order: what a browser session passes on. */
export type Committed = { readonly position: Position; readonly event: StreamEvent };

/** A latest-wins value beside the numbered log. */
export type Register = {
  readonly stream: StreamName;
  readonly key: string;
  readonly version: number;
  readonly value: JsonValue;
};

/** What a task has put out so far: the lines from `startLine` to before `nextLine`, numbered from 0. */
export type TaskOutput = {
  readonly attempt: number;
  /** Whether its device server tells lines while the task runs. */
  readonly isLive: boolean;
  /** The first line that is kept; so many are left out. */
  readonly firstLine: number;
  readonly startLine: number;
  readonly nextLine: number;
  readonly lines: readonly string[];
};

/** The one writer, as the gateway and the API see it. */
export type Runtime = {
  submit(input: CommandInput): Promise<Verdict>;
  fleet(): Fleet;
  run(runId: RunId): Run | undefined;
  /** Newest first. */
  runSummaries(): readonly RunSummary[];
  /** When a device's server was last heard, in Unix milliseconds. */
  lastHeardAtMs(deviceId: DeviceId): number | undefined;
  /** Output of a task's newest attempt, from line `after` on if that is kept; undefined when there is none. */
  taskOutput(runId: RunId, taskId: TaskId, after: number): TaskOutput | undefined;
  head(stream: StreamName): Cursor;
  readAfter(
    stream: StreamName,
    number: number,
    limit: number,
  ): readonly { readonly number: number; readonly event: StreamEvent }[];
  /** False for `run:<id>` of a run that does not exist. */
  hasStream(stream: StreamName): boolean;
  /**
   * State of a stream as JSON text, and the position that it is valid at: `toFleetSnapshot`, `toRunsSnapshot` (newest first) or
   * `toRunSnapshot`, which the browser's store reads back.
   */
  snapshot(stream: StreamName): { readonly cursor: Cursor; readonly text: string };
  registers(stream: StreamName): readonly Register[];
  /** Called after each commit, in commit order. @returns stops it */
  onCommitted(listener: (committed: readonly Committed[]) => void): () => void;
  onRegister(listener: (register: Register) => void): () => void;
  /** True while commits succeed and links may be used. */
  isReady(): boolean;
  /** Stops taking commands, settles the open batch, closes all links. */
  close(): Promise<void>;
};
