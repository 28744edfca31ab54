import type { Fleet } from '@/lib/fleet/device';
import type { Role } from '@/lib/relay-protocol/commands';
import type { Link } from '@/lib/relay-protocol/link';
import type { OutputMark } from '@/lib/relay-protocol/output';
import type { Run } from '@/lib/run/run';
import type { RunSummary } from '@/lib/run/run-summary';
import type { CommandId, DeviceId, RunId, TaskId } from '@/lib/std/ids';
import type { PendingCommand } from './pending-command';
import type { StreamCopy } from './stream-track';

/** In the order of the relay's list: newest first. */
export type RunList = ReadonlyMap<RunId, RunSummary>;

export type OutputMarks = ReadonlyMap<RunId, ReadonlyMap<TaskId, OutputMark>>;

/** Everything that the relay has told this page. Times are Unix milliseconds on the relay's clock. */
export type BoardState = {
  /** Beside the rest, so that the pill never says more than what stands below it. Times are this browser's. */
  readonly link: Link;
  readonly session: { readonly actor: string; readonly role: Role } | null;
  /** Relay's clock minus this browser's, in milliseconds. */
  readonly relayAheadMs: number;
  /** Events that the copy is behind since the last welcome, and whether a snapshot is still to come. */
  readonly catchUp: { readonly events: number; readonly snapshots: number };
  readonly fleet: StreamCopy<Fleet>;
  readonly runList: StreamCopy<RunList>;
  readonly runs: ReadonlyMap<RunId, StreamCopy<Run>>;
  /** When a device's server was last heard. */
  readonly heardAtMs: ReadonlyMap<DeviceId, number>;
  /** How far the output of tasks reaches; of runs that are followed. */
  readonly outputMarks: OutputMarks;
  readonly pending: ReadonlyMap<CommandId, PendingCommand>;
};

export const EMPTY_BOARD: BoardState = {
  link: { phase: 'connecting', freshAtMs: null },
  session: null,
  relayAheadMs: 0,
  catchUp: { events: 0, snapshots: 0 },
  fleet: { phase: 'loading' },
  runList: { phase: 'loading' },
  runs: new Map(),
  heardAtMs: new Map(),
  outputMarks: new Map(),
  pending: new Map(),
};
