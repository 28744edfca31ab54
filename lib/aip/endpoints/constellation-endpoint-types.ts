import type { ClientMiddleware, ClientProtocol } from '@/lib/aip/protocol/client-protocol';
import type { ReconnectionSettings } from '@/lib/aip/resilience/reconnection-settings';
import type { Transport } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import type { JsonValue } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { Result } from '@/lib/std/result';
import type { AgentProfile, OperatorSettings } from './agent-profile';
import type { ConstellationTiming, DeviceInfoAnswer, OpenFailure } from './constellation-types';
import type { DeviceFileFrames } from './device-client-types';
import type { Extension } from './extensions';

export type ConstellationEndpointTiming = ConstellationTiming & {
  /** How long a task may take that does not say so itself, counted from when it is sent. */
  readonly taskMs: number;
  /** What a server that watches a task's deadline itself gets on top, to say what came of it. */
  readonly deadlineGraceMs: number;
  /** How long the end of a task that was cancelled is waited for before its connection is closed. */
  readonly cancelMs: number;
  /** A wrong token does not heal by itself; it is tried again only this slowly. */
  readonly unauthorizedMs: number;
  /** Tries of a refused registration are spread over at least so long: the device may still be on its way back. */
  readonly refusedPatienceMs: number;
};

/** What happens to devices and tasks, told in the order of happening. */
export type ConstellationEvent =
  | { readonly kind: 'device-connected'; readonly deviceId: string; readonly extensions: readonly string[] }
  /** Registered again after a loss. */
  | { readonly kind: 'device-reconnected'; readonly deviceId: string; readonly extensions: readonly string[] }
  | { readonly kind: 'device-disconnected'; readonly deviceId: string; readonly code: number; readonly reason: string }
  /** One try to connect has failed; `attempt` counts from 1 since the last registration. */
  | ({ readonly kind: 'device-unreachable'; readonly deviceId: string; readonly attempt: number } & OpenFailure)
  /** The tries are used up: the device is let go of. `connectToDevice` begins anew. */
  | ({ readonly kind: 'device-given-up'; readonly deviceId: string } & OpenFailure)
  | { readonly kind: 'profile-updated'; readonly deviceId: string; readonly profile: AgentProfile }
  | ({ readonly kind: 'task-sent' } & TaskNames)
  | ({ readonly kind: 'task-accepted' } & TaskNames)
  /** Lines that the task's command has just put out. */
  | ({ readonly kind: 'task-log'; readonly messages: readonly string[] } & TaskNames)
  | ({ readonly kind: 'task-ended'; readonly outcome: TaskOutcome } & TaskNames);

export type TaskNames = { readonly deviceId: string; readonly taskId: string; readonly sessionId: string };

export type DeviceTaskOrder = {
  /** What shall be done; blank ones are refused. */
  readonly request: string;
  /** For people and logs; the task's id, by default. */
  readonly taskName?: string;
  /** Must be free among the tasks of its device that have not ended; a fresh one, by default. */
  readonly taskId?: string;
  /** Counted from when it is sent; `taskMs` of the timing, by default. */
  readonly timeoutMs?: number;
};

/**
 * Why a task has no good end. `device_disconnection`: the connection was lost or there is none; what the device did is not
 * known. `refused`: it has not begun. `execution_error`: the device, its agent or its server says that it failed.
 */
export type TaskErrorType = 'device_disconnection' | 'timeout' | 'refused' | 'cancelled' | 'execution_error';

export type TaskOutcome = TaskNames & {
  /** What the server says of it, whatever it is; undefined when it says nothing. */
  readonly result: JsonValue | undefined;
  /** The last lines that the task put out, where `log` is agreed. */
  readonly messages: readonly string[];
} & (
    | { readonly status: 'completed' }
    | { readonly status: 'failed'; readonly errorType: TaskErrorType; readonly error: string }
  );

export type ConnectedDevice = { readonly extensions: readonly string[]; readonly profile: AgentProfile };

export type ConnectFailure = {
  readonly code: OpenFailure['code'] | 'other-address' | 'invalid-device';
  readonly message: string;
};

export type ConstellationEndpointOptions = {
  /** Of the whole constellation; part of the names of its clients, sessions and tasks. */
  readonly taskName: string;
  /** Makes a transport to an address that was given to `connectToDevice`. */
  readonly createTransport: (serverUrl: string, deviceId: string) => Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Those that it may agree to; all that it speaks, by default. */
  readonly extensions?: readonly Extension[];
  readonly timing?: Partial<ConstellationEndpointTiming>;
  /** What is left out is as in CONSTELLATION_RECONNECTION: 5 tries after the first, 1 s, 60 s, with jitter. */
  readonly reconnection?: Partial<ReconnectionSettings>;
  /** The largest message that a server takes, in bytes; a larger task is refused. */
  readonly messageBytesMax?: number;
  readonly middlewares?: readonly ClientMiddleware[];
  /** Gets the protocol of each new connection before anything is sent: for handlers and message types of one's own. */
  readonly onProtocol?: (protocol: ClientProtocol, deviceId: string) => void;
  /** Without it there is no `file`. Made anew for each connection whose server agreed. */
  readonly files?: (protocol: ClientProtocol, deviceId: string) => DeviceFileFrames;
  /** Not awaited; one that fails is logged and changes nothing. */
  readonly onEvent?: (event: ConstellationEvent) => void | Promise<void>;
};

/** Gives tasks to any number of devices, over one connection for each of them. */
export type ConstellationEndpoint = {
  /**
   * Connects, registers and asks the device how it is; tries again as the reconnection says, except after a wrong token.
   * Afterwards the connection is kept: a lost one comes back by itself. Does nothing more for a device that is connected
   * under the same address.
   */
  connectToDevice(
    deviceId: string,
    serverUrl: string,
    options?: { readonly operatorSettings?: OperatorSettings },
  ): Promise<Result<ConnectedDevice, ConnectFailure>>;
  /**
   * Gives a task to a device, behind those that it has; one at a time is under way. Never rejects. While a lost device is
   * being brought back its queue waits; only the task that was under way has failed.
   */
  sendTaskToDevice(deviceId: string, task: DeviceTaskOrder): Promise<TaskOutcome>;
  /**
   * Ends a task that waits or is under way. Without the extension `cancel` the connection is closed and opened again, since
   * its server ends a task in no other way. Resolves when the task is over.
   */
  cancelTask(deviceId: string, taskId: string): Promise<Result<null, CancelTaskFailure>>;
  /** Asks the device's server, and through it the device where `device_info` is agreed; the profile follows. */
  requestDeviceInfo(deviceId: string): Promise<DeviceInfoAnswer>;
  /** Undefined for a device that was not connected to, or let go of. */
  profileOf(deviceId: string): AgentProfile | undefined;
  /** Lets go of a device: what it has to do fails, and its connection ends. Does nothing for one that is not there. */
  disconnectDevice(deviceId: string): Promise<void>;
  /** Whether it is registered now. */
  isDeviceConnected(deviceId: string): boolean;
  /** Lets go of all devices; afterwards none can be connected to. May be called twice. */
  close(): Promise<void>;
};

/** `ended-otherwise`: its end was faster; its outcome says what it came to. */
export type CancelTaskFailure = { readonly code: 'unknown-task' | 'ended-otherwise'; readonly message: string };
