import type { Device, Fleet } from '@/lib/fleet/device';
import { findDevice, knownDevices } from '@/lib/fleet/find-device';
import type { TaskId } from '@/lib/std/ids';
import { err, ok, type Result } from '@/lib/std/result';
import type { Refusal, RefusalCode } from './commands';
import type { RunEvent } from './events';
import type { Run, TaskRun } from './run';

/** What `decide` may know beyond the run. Time, names and randomness come in here. */
export type RunContext = {
  readonly nowMs: number;
  /** Who asks: an operator's name, `api`, `relay`. */
  readonly actor: string;
  readonly fleet: Fleet;
  /** 128 fresh random bits as hexadecimal digits; makes a session id that was never used. */
  readonly sessionHex: () => string;
};

/** The events that a command causes; none when it asks for what is already so. */
export type Decision = Result<RunEvent[], Refusal>;

export function refused(code: RefusalCode, message: string): { ok: false; error: Refusal } {
  return err({ code, message });
}

export function findTask(run: Run, taskId: TaskId): Result<TaskRun, Refusal> {
  const task = run.tasks.get(taskId);
  if (task !== undefined) return ok(task);
  return refused(
    'task-unknown',
    `Expected a task of run ${run.runId}, got "${taskId}"; reload the run to see its tasks.`,
  );
}

/** The device that a task is to go to: it must be named, and exist. Whether it is online is not asked: work queues. */
export function findTarget(taskId: TaskId, name: string | null, fleet: Fleet): Result<Device, Refusal> {
  if (name === null) {
    return refused(
      'device-missing',
      `Task "${taskId}" names no device; place it on one first (${knownDevices(fleet)}).`,
    );
  }
  const device = findDevice(fleet, name);
  if (device !== undefined) return ok(device);
  return refused(
    'device-unknown',
    `Task "${taskId}" is placed on "${name}", which is not a device here; place it on another one or add the device (${knownDevices(fleet)}).`,
  );
}
