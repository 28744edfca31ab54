import type { Transport } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import type { JsonValue } from '@/lib/std/json';
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
};

export type DeviceServerOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly agent: TaskAgent;
  readonly timing?: Partial<DeviceServerTiming>;
  /** What this server agrees to with peers that announce it. */
  readonly extensions?: readonly Extension[];
  /** Platforms that the agent can drive; a task for any other is refused. */
  readonly platforms?: readonly string[];
};

export type DispatchFailure = {
  readonly code: 'empty-request' | 'empty-client-id' | 'invalid-task-name' | 'client-offline' | 'not-a-device';
  readonly message: string;
};

export type TaskReport = { readonly status: 'pending' } | { readonly status: 'done'; readonly result: JsonValue };

export type DeviceServerEndpoint = {
  /** Serves one connection to its end; never rejects. */
  accept(transport: Transport): Promise<void>;
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
