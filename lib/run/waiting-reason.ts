import type { Readiness } from '@/lib/constellation/readiness';
import type { TaskStarLine } from '@/lib/constellation/task-star';
import { type Device, type Fleet, takesWork } from '@/lib/fleet/device';
import { findDevice } from '@/lib/fleet/find-device';
import type { DeviceId, LineId, TaskId } from '@/lib/std/ids';
import { readinessOfTask } from './progress';
import { type Attempt, isTerminal, liveAttempt, type Run } from './run';

/** What a task waits for. Closed, so that the screen can have its own words and a link for each. */
export type WaitingReason = {
  readonly code: WaitingCode;
  /** One sentence in English. */
  readonly text: string;
  /** Where to look; null when only the run itself is in the way. */
  readonly blocker: WaitingBlocker | null;
};

export type WaitingBlocker =
  | { readonly kind: 'task'; readonly taskId: TaskId; readonly lineId: LineId }
  | { readonly kind: 'device'; readonly deviceId: DeviceId };

export type WaitingCode =
  | 'upstream-not-started'
  | 'upstream-running'
  | 'upstream-failed'
  | 'upstream-cancelled'
  | 'condition-false'
  | 'device-offline'
  | 'device-busy'
  | 'not-launched'
  | 'no-device'
  | 'unknown-device'
  | 'run-cancelled'
  | 'next';

/**
 * Why a task neither runs nor has ended.
 *
 * @returns null when it runs or has ended: then there is nothing that it waits for
 */
export function waitingReason(run: Run, fleet: Fleet, taskId: TaskId): WaitingReason | null {
  return explainWaiting(run, fleet, { taskId, readiness: readinessOfTask(run, taskId) });
}

type PendingTask = { readonly taskId: TaskId; readonly readiness: Readiness | undefined };

/** The same for a caller that has the readiness of all tasks at hand. */
export function explainWaiting(run: Run, fleet: Fleet, pending: PendingTask): WaitingReason | null {
  const { taskId, readiness } = pending;
  const task = run.tasks.get(taskId);
  if (task === undefined || task.status === 'running' || isTerminal(task.status)) return null;
  const live = liveAttempt(task);
  if (live !== undefined) return waitingInQueue(live, fleet.devices.get(live.deviceId), taskId);
  if (run.cancelAsked !== null) {
    return { code: 'run-cancelled', text: 'The run was cancelled and starts nothing new', blocker: null };
  }
  if (readiness !== undefined && readiness.kind !== 'ready') return waitingForLine(run, readiness.line, readiness.kind);
  const named = run.constellation.tasks.get(taskId)?.targetDeviceId ?? null;
  if (named === null) return { code: 'no-device', text: 'Not placed on a device yet', blocker: null };
  const device = findDevice(fleet, named);
  if (device === undefined) {
    return { code: 'unknown-device', text: `Placed on ${named}, which is not a device here`, blocker: null };
  }
  if (run.launchedAtMs === null) {
    return { code: 'not-launched', text: 'Ready; the run has not been launched', blocker: null };
  }
  return waitingForDevice(device, taskId);
}

function waitingInQueue(attempt: Attempt, device: Device | undefined, taskId: TaskId): WaitingReason {
  if (device !== undefined) return waitingForDevice(device, taskId);
  const text = `Queued for ${attempt.deviceId}, which is not a device here any more`;
  return { code: 'unknown-device', text, blocker: null };
}

function waitingForDevice(device: Device, taskId: TaskId): WaitingReason {
  const { deviceId } = device.profile;
  const blocker: WaitingBlocker = { kind: 'device', deviceId };
  if (!takesWork(device.status)) {
    const why = device.statusReason === null ? '' : `: ${device.statusReason}`;
    return { code: 'device-offline', text: `${deviceId} is ${device.status}${why}`, blocker };
  }
  if (device.currentTask !== null && device.currentTask.taskId !== taskId) {
    return { code: 'device-busy', text: `${deviceId} is busy with ${device.currentTask.taskId}`, blocker };
  }
  return { code: 'next', text: `Next on ${deviceId}`, blocker };
}

function waitingForLine(run: Run, line: TaskStarLine, kind: 'waiting' | 'blocked'): WaitingReason {
  const upstream = line.fromTaskId;
  const name = run.constellation.tasks.get(upstream)?.name ?? upstream;
  const status = run.tasks.get(upstream)?.status;
  const blocker: WaitingBlocker = { kind: 'task', taskId: upstream, lineId: line.lineId };
  if (kind === 'waiting') {
    if (status === 'running')
      return { code: 'upstream-running', text: `Waits for "${name}", which is running`, blocker };
    return { code: 'upstream-not-started', text: `Waits for "${name}", which has not started`, blocker };
  }
  if (line.dependencyType === 'conditional' && status !== 'cancelled' && line.metadata.condition !== undefined) {
    const text = `Will not run: the condition on "${name}" is false${conditionText(line)}`;
    return { code: 'condition-false', text, blocker };
  }
  const needs = `Will not run: it needs the success of "${name}"`;
  if (status === 'failed') return { code: 'upstream-failed', text: `${needs}, which failed`, blocker };
  return { code: 'upstream-cancelled', text: `${needs}, which was cancelled`, blocker };
}

function conditionText(line: TaskStarLine): string {
  return line.conditionDescription === '' ? '' : ` (${line.conditionDescription})`;
}
