import type { Command } from '@/lib/relay-protocol/commands';
import type { DeviceId, RunId, TaskId } from '@/lib/std/ids';
import type { CommandVerdict } from './command-verdict';

export type TaskTarget = { readonly runId: RunId; readonly taskId: TaskId };

/** Everything that a person can ask for over the socket, by name. */
export type BoardCommands = {
  launch(runId: RunId): Promise<CommandVerdict>;
  cancelRun(runId: RunId, reason?: string): Promise<CommandVerdict>;
  /** `baseRevision` is the plan's revision on the screen. */
  place(target: TaskTarget, deviceId: DeviceId | null, baseRevision: number): Promise<CommandVerdict>;
  /** Without a device the star goes where it is placed. */
  dispatch(target: TaskTarget, deviceId?: DeviceId): Promise<CommandVerdict>;
  cancelTask(target: TaskTarget, reason?: string): Promise<CommandVerdict>;
  retry(target: TaskTarget, deviceId?: DeviceId): Promise<CommandVerdict>;
  refresh(deviceId: DeviceId, when: 'now' | 'on-return'): Promise<CommandVerdict>;
  reconnect(deviceId: DeviceId): Promise<CommandVerdict>;
  removeDevice(deviceId: DeviceId): Promise<CommandVerdict>;
};

export function createBoardCommands(send: (command: Command) => Promise<CommandVerdict>): BoardCommands {
  return {
    launch: (runId) => send({ type: 'run-launch', runId }),
    cancelRun: (runId, reason) => send({ type: 'run-cancel', runId, ...givenReason(reason) }),
    place: (target, deviceId, baseRevision) => send({ type: 'task-place', ...target, deviceId, baseRevision }),
    dispatch: (target, deviceId) => send({ type: 'task-dispatch', ...target, ...givenDevice(deviceId) }),
    cancelTask: (target, reason) => send({ type: 'task-cancel', ...target, ...givenReason(reason) }),
    retry: (target, deviceId) => send({ type: 'task-retry', ...target, ...givenDevice(deviceId) }),
    refresh: (deviceId, when) => send({ type: 'device-refresh', deviceId, when }),
    reconnect: (deviceId) => send({ type: 'device-reconnect', deviceId }),
    removeDevice: (deviceId) => send({ type: 'device-remove', deviceId }),
  };
}

function givenReason(reason: string | undefined): { reason?: string } {
  return reason === undefined || reason === '' ? {} : { reason };
}

function givenDevice(deviceId: DeviceId | undefined): { deviceId?: DeviceId } {
  return deviceId === undefined ? {} : { deviceId };
}
