import type { Fleet } from '@/lib/fleet/device';
import { findDevice } from '@/lib/fleet/find-device';
import { liveAttempt, type Run } from '@/lib/run/run';
import type { TaskId } from '@/lib/std/ids';

/** A task that keeps a draft from being launched. */
export type LaunchFault = {
  readonly taskId: TaskId;
  readonly name: string;
  /** What the plan names and nobody here knows; null when it names none. */
  readonly deviceName: string | null;
};

/** Tasks still to be run that have no device, or one that is not here: the launch rule, task by task and in the plan's order. */
export function launchFaults(run: Run, fleet: Fleet): readonly LaunchFault[] {
  const faults: LaunchFault[] = [];
  for (const [taskId, task] of run.tasks) {
    if (task.status !== 'pending' || liveAttempt(task) !== undefined) continue;
    const star = run.constellation.tasks.get(taskId);
    const deviceName = star?.targetDeviceId ?? null;
    if (deviceName !== null && findDevice(fleet, deviceName) !== undefined) continue;
    const name = star === undefined || star.name === '' ? taskId : star.name;
    faults.push({ taskId, name, deviceName });
  }
  return faults;
}
