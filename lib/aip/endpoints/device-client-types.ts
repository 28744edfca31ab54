import type { Command, CommandResult, DeviceManifest, ServerMessage } from '@/lib/aip/messages';
import type { Received } from '@/lib/aip/protocol/aip-protocol';
import type { ClientMiddleware, ClientProtocol } from '@/lib/aip/protocol/client-protocol';
import type { ReconnectionSettings } from '@/lib/aip/resilience/reconnection-settings';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import type { TransportFactory } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { Result } from '@/lib/std/result';
import type { SayFailure } from './device-outlet';
import type { Extension } from './extensions';

export type DeviceClientTiming = {
  readonly heartbeatMs: number;
  /** Silence of this length means that the server is gone. */
  readonly deadAfterMs: number;
  readonly registerMs: number;
  /** Longest and shortest time between two unasked reports of the device's information, when the extension is agreed. */
  readonly infoReportMs: number;
  readonly infoPauseMs: number;
  /** A wrong token does not heal by itself; it is tried again only this slowly. */
  readonly unauthorizedMs: number;
  /** For so long a refused registration uses up no tries: a dead connection may still hold the id. */
  readonly refusedPatienceMs: number;
  /** How long commands outlive a lost connection, when `resume` is agreed. */
  readonly resumeMs: number;
  /** A server that takes nothing of a message for so long is gone. */
  readonly operationMs: number;
  /** The longest that one command may take when nobody sets a shorter limit. */
  readonly toolMs: number;
};

/** Where the device stands; told on every change. */
export type DeviceClientState =
  | { readonly phase: 'connecting'; readonly attempt: number }
  | { readonly phase: 'registered'; readonly extensions: readonly string[]; readonly isResumed: boolean }
  | { readonly phase: 'waiting'; readonly retryInMs: number; readonly code: string; readonly message: string }
  /** The tries are used up; `start` or `reconnectDevice` begins anew. */
  | { readonly phase: 'given-up'; readonly code: string; readonly message: string }
  | { readonly phase: 'stopped' };

export type ExecuteContext = {
  readonly sessionId: string;
  readonly agentName: string | undefined;
  /** Cancelled when nobody takes the result any more, or its time is over. */
  readonly cancellation: Cancellation;
  /** One line of what the command prints while it runs; goes to whoever gave the task, if that was agreed. */
  readonly onOutput: (line: string) => void;
  /** How long the command may take; one that knows it can say more about its end than the device can. */
  readonly timeoutMs: number;
};

/** What takes the frames of file transfers on one connection, where `file` is agreed. */
export type DeviceFileFrames = {
  /** Says whether the frame belonged to a transfer; nobody else sees it then. */
  take(received: Received<ServerMessage>): Promise<boolean>;
  /** The connection has ended. */
  close(): void;
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
  /** What the device can do now. A rejection is logged; the device registers without. */
  readonly manifest?: () => Promise<DeviceManifest>;
  /** Told to tell of changes of the manifest. Returns an undo. */
  readonly onManifestChanged?: (listener: () => void) => () => void;
  /** Runs one command. A rejection becomes a failure result. */
  readonly execute: (command: Command, context: ExecuteContext) => Promise<CommandResult>;
  /** Those that the device may agree to; all that it speaks, by default. */
  readonly extensions?: readonly Extension[];
  /** Without it there is no `file`. Made anew for each connection whose server agreed. */
  readonly files?: (protocol: ClientProtocol) => DeviceFileFrames;
  readonly timing?: Partial<DeviceClientTiming>;
  /** What is left out is as in DEVICE_CLIENT_RECONNECTION: 3 tries after the first, 2 s, 60 s, with jitter. */
  readonly reconnection?: Partial<ReconnectionSettings>;
  readonly middlewares?: readonly ClientMiddleware[];
  /** Gets the protocol of each new connection before anything is sent: for handlers and message types of one's own. */
  readonly onProtocol?: (protocol: ClientProtocol) => void;
  /** The largest message that the server takes, in bytes; larger results become failures that say so. */
  readonly messageBytesMax?: number;
  readonly onState?: (state: DeviceClientState) => void;
};

/** How a task ends that the device ends itself. */
export type DeviceTaskEnd = {
  readonly status: 'completed' | 'failed';
  readonly result?: JsonValue;
  readonly error?: string;
};

export type EndTaskFailure = {
  readonly code: 'not-connected' | 'not-agreed' | 'unknown-session' | SayFailure['code'];
  readonly message: string;
};

export type DeviceClientEndpoint = {
  /**
   * Connects and registers; afterwards serves, and connects again when a connection is lost. While it lives already, this
   * waits for its first registration.
   *
   * @throws DeviceStartError when the tries are used up or the device is stopped before it is registered
   */
  start(): Promise<void>;
  /** Ends the tasks that it may end, stops what runs and says goodbye. May be called at any time, also twice. */
  stop(): Promise<void>;
  /** Whether there is a registered connection now. */
  isConnected(): boolean;
  /** Drops the present connection, if there is one, and connects at once. Says whether that came to a registration. */
  reconnectDevice(): Promise<boolean>;
  /** Starts a task on this device; resolves to whether it was sent. */
  startTask(task: { readonly request: string; readonly taskName?: string }): Promise<boolean>;
  /** Ends a task that this device works on, when the server agreed to that; its commands are stopped. */
  endTask(sessionId: string, end: DeviceTaskEnd): Promise<Result<null, EndTaskFailure>>;
  /** Resolves when it was stopped or has given up; at once while it was not started. */
  waitStopped(): Promise<void>;
  /** That of the present connection. */
  readonly protocol: ClientProtocol | undefined;
};

/** The device did not get registered. */
export class DeviceStartError extends Error {
  readonly code: 'stopped' | 'given-up';

  constructor(code: 'stopped' | 'given-up', message: string) {
    super(message);
    this.name = 'DeviceStartError';
    this.code = code;
  }
}
