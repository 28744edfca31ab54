import type { SendFailure, Sent } from '@/lib/aip/protocol/aip-protocol';
import type { ClientMiddleware, ClientProtocol } from '@/lib/aip/protocol/client-protocol';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import type { TransportFactory } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { Result } from '@/lib/std/result';
import type { DeviceFileFrames } from './device-client-types';
import type { Extension } from './extensions';

/** What a link to a device tells its owner. `closed` comes exactly once and last. */
export type LinkSignal =
  | { readonly kind: 'heard'; readonly atMs: number }
  | { readonly kind: 'task-accepted'; readonly sessionId: string }
  | {
      readonly kind: 'task-ended';
      readonly sessionId: string;
      readonly status: 'completed' | 'failed';
      /** The word of the wire; anything but `completed` counts as failed. */
      readonly rawStatus: string;
      readonly result: JsonValue | undefined;
      readonly error?: string;
      readonly messages?: readonly string[];
    }
  /** The task has ended, but what the server says of its end cannot be read. */
  | { readonly kind: 'task-unreadable'; readonly sessionId: string; readonly message: string }
  /** The server refused something; the wire does not say what. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The device has said something of itself unasked; the server passes it on where `device_info` is agreed. */
  | { readonly kind: 'info-pushed'; readonly info: JsonObject }
  /** Lines that a task's command has just put out, where `log` is agreed. */
  | { readonly kind: 'log'; readonly sessionId: string; readonly messages: readonly string[] }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string };

export type ConstellationTiming = {
  readonly heartbeatMs: number;
  /** Silence of this length means that the peer is gone. */
  readonly deadAfterMs: number;
  readonly registerMs: number;
  readonly infoMs: number;
  /** A server that takes nothing of a message for so long is gone. */
  readonly operationMs: number;
};

export type ConstellationConnectionOptions = {
  readonly createTransport: TransportFactory;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Fresh for every endpoint: the old one may still be registered. */
  readonly clientId: string;
  readonly targetId: string;
  readonly taskName: string;
  readonly extensions: readonly Extension[];
  readonly timing?: Partial<ConstellationTiming>;
  /** The largest message that the server takes, in bytes; a larger task is refused. */
  readonly messageBytesMax?: number;
  readonly middlewares?: readonly ClientMiddleware[];
  /** Gets the protocol before anything is sent: for handlers and message types of one's own. */
  readonly onProtocol?: (protocol: ClientProtocol) => void;
  /** What takes the frames of file transfers, where `file` is agreed. Without it `file` is not announced. */
  readonly files?: (protocol: ClientProtocol) => DeviceFileFrames;
  /** Told between connecting and registering, and awaited. */
  readonly onConnected?: () => void | Promise<void>;
  /** Awaited before the next frame is read. A rejection closes the link. */
  readonly onSignal: (signal: LinkSignal) => void | Promise<void>;
};

export type OpenFailure = {
  readonly code: 'connect-failed' | 'unauthorized' | 'invalid-url' | 'refused' | 'register-timeout' | 'closed';
  readonly message: string;
};

export type TaskToSend = {
  readonly sessionId: string;
  readonly taskName: string;
  readonly request: string;
  /** Sent only when the extension `deadline` is agreed. */
  readonly timeoutSeconds?: number;
};

export type CancelFailure = { readonly code: 'not-agreed' | SendFailure['code']; readonly message: string };

export type DeviceInfoAnswer =
  | {
      readonly ok: true;
      readonly info: JsonObject;
      /** Whether the device was asked just now; else the server answered from what it knew. */
      readonly fresh: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: 'timeout' | 'unknown-device' | 'closed' | 'invalid';
      readonly message: string;
    };

/** One connection to one device's server, from connecting to its end. For the next connection make the next endpoint. */
export type ConstellationConnection = {
  /** Connects and registers; the cancellation gives up on it. Signals flow once it has succeeded. */
  open(cancellation?: Cancellation): Promise<Result<{ readonly extensions: readonly string[] }, OpenFailure>>;
  /** Resolves when the TASK was handed to the socket; whether it was accepted is a signal. */
  sendTask(task: TaskToSend): Promise<Sent>;
  /**
   * Asks the server to end one task of this connection, where `cancel` is agreed; its end comes as `task-ended`. Elsewhere
   * only closing the connection ends a task.
   */
  cancelTask(sessionId: string): Promise<Result<null, CancelFailure>>;
  requestDeviceInfo(): Promise<DeviceInfoAnswer>;
  /** Those that the server agreed to; none before `open` has succeeded. */
  readonly extensions: readonly string[];
  /** Undefined until there is a connection to speak on. */
  readonly protocol: ClientProtocol | undefined;
  /** Whether it is registered and has not ended. */
  readonly isOpen: boolean;
  /** Resolves when the connection has ended; `closed` is told then or soon after. May be called from `onSignal`. */
  close(code: number, reason: string): Promise<void>;
};
