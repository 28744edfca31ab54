import type { DeviceStatus } from '@/lib/fleet/device';
import type { FleetEvent } from '@/lib/fleet/events';
import type { RunReport } from '@/lib/run/commands';
import type { TaskResult } from '@/lib/run/run';
import type { DeviceId, RunId, SessionId, TaskId } from '@/lib/std/ids';
import type { JsonValue } from '@/lib/std/json';
import type { Result } from '@/lib/std/result';

/** One attempt, as its link needs it. */
export type AttemptOrder = {
  readonly runId: RunId;
  readonly taskId: TaskId;
  readonly attempt: number;
  readonly deviceId: DeviceId;
  readonly sessionId: SessionId;
  /** The name of the task for people and log files. */
  readonly taskName: string;
  readonly request: string;
  readonly timeoutMs: number;
};

/** What a link has learnt about its device; dated and stored by the runtime. */
export type DeviceFact =
  | {
      readonly type: 'status';
      readonly status: DeviceStatus;
      readonly reason: string | null;
      readonly connectionAttempts: number;
    }
  | { readonly type: 'work'; readonly currentTask: { readonly runId: RunId; readonly taskId: TaskId } | null }
  | {
      readonly type: 'info';
      readonly info: Extract<FleetEvent, { type: 'device-info-received' }>['info'];
      readonly fresh: boolean;
      readonly askedAtMs: number;
    }
  | { readonly type: 'info-failed'; readonly reason: string };

/** What the links may ask of the rest of the relay. Promises resolve when what was said is on disk. */
export type LinkHost = {
  /** An error is a rule that said no: the attempt must not be sent. */
  report(report: RunReport): Promise<Result<null, string>>;
  tell(deviceId: DeviceId, facts: readonly DeviceFact[]): Promise<void>;
  heard(deviceId: DeviceId, atMs: number): void;
  /** An attempt goes out; `isLive` says whether its server tells lines while it runs. */
  outputBegins(order: AttemptOrder, isLive: boolean): void;
  /** Lines that the attempt has just put out, as the device sent them. */
  output(order: AttemptOrder, lines: readonly string[]): void;
  /** Keeps a large result beside the journal. */
  keepResult(value: JsonValue): TaskResult;
  /** The address with its secret; an error says why it cannot be had. */
  serverUrl(deviceId: DeviceId): Result<string, string>;
};
