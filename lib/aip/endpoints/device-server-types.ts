import type { ClientMessage } from '@/lib/aip/messages';
import type { Received, RuleCheck } from '@/lib/aip/protocol/aip-protocol';
import type { ServerMiddleware, ServerProtocol } from '@/lib/aip/protocol/server-protocol';
import type { Transport } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { Result } from '@/lib/std/result';
import type { Extension } from './extensions';
import type { TaskAgent } from './task-agent';

export type DeviceServerTiming = {
  /** A connection that has not registered by then is closed. */
  readonly registerMs: number;
  /** How long a device may take to answer a COMMAND. */
  readonly commandMs: number;
  /** How long a device may take to say how it is. */
  readonly infoMs: number;
  /** A peer that takes nothing of what it is sent for so long is cut off. */
  readonly operationMs: number;
  /** How long the sessions of a lost device wait for it, where `resume` is agreed. */
  readonly resumeMs: number;
  /** What a device that knows a task's deadline gets on top, to say what came of its last command. */
  readonly deadlineGraceMs: number;
};

/** What one server takes at the same time; beyond it, it refuses and says so. */
export type DeviceServerLimits = {
  readonly connectionsMax: number;
  readonly sessionsPerOwnerMax: number;
};

/** What takes the frames of file transfers on one connection, where `file` is agreed. */
export type FileFrames = {
  /** Says whether the frame belonged to a transfer; nobody else sees it then. */
  take(received: Received<ClientMessage>): Promise<boolean>;
  /** The connection has ended. */
  close(): void;
};

export type DeviceServerOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly agent: TaskAgent;
  readonly timing?: Partial<DeviceServerTiming>;
  readonly limits?: Partial<DeviceServerLimits>;
  /** What this server agrees to with peers that announce it; all that it speaks, by default. */
  readonly extensions?: readonly Extension[];
  /** Without it there is no `file`. Made anew for each peer that agreed. */
  readonly files?: (protocol: ServerProtocol, clientId: string) => FileFrames;
  /**
   * What the people who run the server know of a device: goes into its `custom_metadata`, `additional_features` join its
   * features, and `tags` stand beside them.
   */
  readonly deviceConfig?: (deviceId: string) => JsonObject | undefined;
  /** The largest message that clients take, in bytes; a larger outcome becomes a failure that says so. */
  readonly messageBytesMax?: number;
  /** Platforms that the agent can drive; a task for any other is refused. */
  readonly platforms?: readonly string[];
  /**
   * Runs before anything else sees a message; a breach is answered with the rule's name. The library's own rules, by
   * default.
   */
  readonly validate?: RuleCheck<ClientMessage>;
  readonly middlewares?: readonly ServerMiddleware[];
  /** Gets the protocol of each new connection before anything is received: for handlers and message types of one's own. */
  readonly onProtocol?: (protocol: ServerProtocol) => void;
};

export type DispatchFailure = {
  readonly code: 'empty-request' | 'empty-client-id' | 'invalid-task-name' | 'client-offline' | 'not-a-device';
  readonly message: string;
};

export type TaskReport = { readonly status: 'pending' } | { readonly status: 'done'; readonly result: JsonValue };

export type DeviceServerEndpoint = {
  /** Serves one connection to its end; never rejects. */
  handleWebSocket(transport: Transport): Promise<void>;
  /**
   * Ends every task that runs on a device as failed, with the reason as its error; requesters and the device are told.
   *
   * @returns how many there were
   */
  cancelDeviceTasks(deviceId: string, reason: string): Promise<number>;
  /** Ids of both roles. */
  onlineClients(): readonly string[];
  /** Sends a TASK to a device, which answers with a task of its own. `taskName` absent: a fresh one. */
  dispatch(order: {
    readonly clientId: string;
    readonly request: string;
    readonly taskName?: string;
  }): Promise<Result<{ readonly taskName: string; readonly sessionId: string }, DispatchFailure>>;
  /** Unknown names are pending. */
  taskResult(taskName: string): TaskReport;
  /** Ends every session and connection. */
  close(): Promise<void>;
};
