import type { Command, CommandResult } from '@/lib/aip/messages';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import type { TransportFactory } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import type { JsonObject } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { Extension } from './extensions';

export type DeviceClientTiming = {
  readonly heartbeatMs: number;
  /** Silence of this length means that the server is gone. */
  readonly deadAfterMs: number;
  readonly registerMs: number;
  /** Between two unasked reports of the device's information, when the extension is agreed. */
  readonly infoReportMs: number;
  /** First and longest wait before connecting again; each wait is random between `reconnectFloorMs` and its limit. */
  readonly reconnectInitialMs: number;
  readonly reconnectMaxMs: number;
  readonly reconnectFloorMs: number;
  /** A wrong token does not heal by itself; it is tried again only this slowly. */
  readonly unauthorizedMs: number;
};

/** Where the device stands; told on every change. */
export type DeviceClientState =
  | { readonly phase: 'connecting'; readonly attempt: number }
  | { readonly phase: 'registered'; readonly extensions: readonly string[] }
  | { readonly phase: 'waiting'; readonly retryInMs: number; readonly code: string; readonly message: string }
  | { readonly phase: 'stopped' };

export type ExecuteContext = {
  readonly sessionId: string;
  readonly agentName: string | undefined;
  /** Cancelled when the connection that asked is gone: nobody takes the result any more. */
  readonly cancellation: Cancellation;
};

export type DeviceClientOptions = {
  readonly createTransport: TransportFactory;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly clientId: string;
  /** `windows`, `linux` or `mobile`: other words are refused by servers when a task comes. */
  readonly platform: string;
  /** What the device says about itself now. A rejection is logged; the device registers without. */
  readonly systemInfo: () => Promise<JsonObject>;
  /** Runs one command. A rejection becomes a failure result. */
  readonly execute: (command: Command, context: ExecuteContext) => Promise<CommandResult>;
  readonly extensions?: readonly Extension[];
  readonly timing?: Partial<DeviceClientTiming>;
  readonly onState?: (state: DeviceClientState) => void;
};

export type DeviceClientEndpoint = {
  /** Connects, serves and connects again until cancelled; then says goodbye and resolves. */
  run(cancellation: Cancellation): Promise<void>;
  /** Starts a task on this device; resolves to whether it was sent. */
  startTask(task: { readonly request: string; readonly taskName?: string }): Promise<boolean>;
};
