import { graphOf } from '@/lib/constellation/graph';
import { type LineState, lineState } from '@/lib/constellation/line-state';
import type { DependencyType, TaskStar, TaskStarLine } from '@/lib/constellation/task-star';
import { type Device, type Fleet, takesWork } from '@/lib/fleet/device';
import { findDevice } from '@/lib/fleet/find-device';
import { type DisplayState, displayState, isPlanned } from '@/lib/run/display-state';
import { progressOf, readinessOfRun } from '@/lib/run/progress';
import { isTerminal, liveAttempt, type Run, type TaskRun } from '@/lib/run/run';
import type { LineId, TaskId } from '@/lib/std/ids';

/** Whether the device of a task can be reached; `unnamed` when the task has none, `unknown` when there is no such device. */
export type DeviceReach = 'online' | 'reconnecting' | 'offline' | 'unknown' | 'unnamed';

/** What the screen says of one task, wherever it says it. */
export type TaskView = {
  readonly taskId: TaskId;
  readonly name: string;
  readonly state: DisplayState;
  /** As the plan names it, or where the last attempt went. */
  readonly deviceName: string | null;
  /** The operating system by the device's profile, else the kind that the plan asks for. */
  readonly deviceKind: string | null;
  readonly deviceReach: DeviceReach;
  /** Set while time runs on: Unix milliseconds since when. */
  readonly runningSinceMs: number | null;
  /** Set when it is over and was begun. */
  readonly durationMs: number | null;
  /** 0 before the first attempt. */
  readonly tryNumber: number;
  readonly triesMax: number;
  readonly waitsForCount: number;
  readonly feedsCount: number;
};

export type LineView = {
  readonly lineId: LineId;
  readonly fromTaskId: TaskId;
  readonly toTaskId: TaskId;
  readonly kind: DependencyType;
  readonly state: LineState;
  readonly condition: string;
  readonly isIntoLive: boolean;
  readonly isIntoFailed: boolean;
};

export type RunView = {
  readonly tasks: ReadonlyMap<TaskId, TaskView>;
  readonly lines: ReadonlyMap<LineId, LineView>;
};

/**
 * Derives what the screen shows of a run, once per change of run or fleet, and keeps the identity of every task and line
 * that looks the same as before: so a node paints only when its own task changed.
 */
export function createRunViewer(): (run: Run, fleet: Fleet) => RunView {
  let last: { run: Run; fleet: Fleet; view: RunView } | undefined;
  return (run, fleet) => {
    if (last !== undefined && last.run === run && last.fleet === fleet) return last.view;
    const view = viewOf(run, fleet, last?.view);
    last = { run, fleet, view };
    return view;
  };
}

function viewOf(run: Run, fleet: Fleet, before: RunView | undefined): RunView {
  const graph = graphOf(run.constellation);
  const readiness = readinessOfRun(run, graph);
  const planned = isPlanned(run);
  const tasks = new Map<TaskId, TaskView>();
  for (const [taskId, star] of run.constellation.tasks) {
    const task = run.tasks.get(taskId);
    if (task === undefined) continue;
    const device = deviceOf(star, task, fleet);
    const state = displayState(task, { isPlanned: planned, readiness: readiness.get(taskId), device });
    const view = taskView({ star, task, device, state });
    const counts = {
      waitsForCount: graph.incoming.get(taskId)?.length ?? 0,
      feedsCount: graph.outgoing.get(taskId)?.length ?? 0,
    };
    tasks.set(taskId, kept(before?.tasks.get(taskId), { ...view, ...counts }));
  }
  const { factsOf } = progressOf(run);
  const lines = new Map<LineId, LineView>();
  for (const [lineId, line] of run.constellation.lines) {
    const state = lineState(line, factsOf(line.fromTaskId));
    lines.set(lineId, kept(before?.lines.get(lineId), lineView(line, state, tasks.get(line.toTaskId)?.state)));
  }
  return { tasks, lines };
}

function deviceOf(star: TaskStar, task: TaskRun, fleet: Fleet): Device | undefined {
  const name = liveAttempt(task)?.deviceId ?? star.targetDeviceId;
  return name === null ? undefined : findDevice(fleet, name);
}

type TaskParts = {
  readonly star: TaskStar;
  readonly task: TaskRun;
  readonly device: Device | undefined;
  readonly state: DisplayState;
};

function taskView({ star, task, device, state }: TaskParts): Omit<TaskView, 'waitsForCount' | 'feedsCount'> {
  const attempt = liveAttempt(task);
  const lastAttempt = task.attempts.at(-1);
  const deviceName = (isTerminal(task.status) ? lastAttempt?.deviceId : attempt?.deviceId) ?? star.targetDeviceId;
  return {
    taskId: star.taskId,
    name: star.name === '' ? star.taskId : star.name,
    state,
    deviceName,
    deviceKind: device?.profile.os ?? star.deviceType,
    deviceReach: reachOf(deviceName, device),
    runningSinceMs: attempt === undefined ? null : (attempt.sendingAtMs ?? attempt.queuedAtMs),
    durationMs: durationOf(task),
    tryNumber: task.attempts.length,
    triesMax: star.retryCount + 1,
  };
}

function reachOf(deviceName: string | null, device: Device | undefined): DeviceReach {
  if (deviceName === null) return 'unnamed';
  return device === undefined ? 'unknown' : reachOfDevice(device);
}

/** A device that is on its way to being usable is neither online nor gone. */
export function reachOfDevice(device: Device): 'online' | 'reconnecting' | 'offline' {
  if (takesWork(device.status)) return 'online';
  return device.status === 'connecting' || device.status === 'registering' ? 'reconnecting' : 'offline';
}

function durationOf(task: TaskRun): number | null {
  if (!isTerminal(task.status) || task.startedAtMs === null || task.endedAtMs === null) return null;
  return Math.max(0, task.endedAtMs - task.startedAtMs);
}

function lineView(line: TaskStarLine, state: LineState, target: DisplayState | undefined): LineView {
  return {
    lineId: line.lineId,
    fromTaskId: line.fromTaskId,
    toTaskId: line.toTaskId,
    kind: line.dependencyType,
    state,
    condition: line.conditionDescription,
    isIntoLive: target === 'running' || target === 'dispatching',
    isIntoFailed: target === 'failed' || target === 'timed-out' || target === 'unknown',
  };
}

/** The older of two views that say the same. */
function kept<View extends object>(before: View | undefined, after: View): View {
  if (before === undefined) return after;
  for (const [key, value] of Object.entries(after)) if (!Object.is(Reflect.get(before, key), value)) return after;
  return before;
}
