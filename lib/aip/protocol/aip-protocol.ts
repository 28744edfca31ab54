import type { z } from 'zod';
import { type AipParseError, type Parsed, serialiseFrame, serialiseMessage } from '@/lib/aip/messages';
import { STOCK_SIZES } from '@/lib/aip/resilience/timer-defaults';
import { ConnectionError, type FrameData, type Transport, type TransportClosed } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import { err, ok, type Result } from '@/lib/std/result';
import { encodeUtf8 } from '@/lib/std/utf8';
import { type CustomFrame, type CustomHandler, createCustomTypes } from './custom-types';
import { type AipMessage, MessageRefused, type Middleware } from './middleware/middleware';

/** What came: a message that keeps every rule, or what else it was. `closed` comes last, again and again. */
export type Received<Incoming> =
  | { readonly kind: 'message'; readonly message: Incoming }
  | ({ readonly kind: 'custom' } & CustomFrame)
  | { readonly kind: 'malformed'; readonly error: AipParseError; readonly text: string }
  /** A message that breaks a rule of the validator, or that a middleware lets go no further. */
  | ({ readonly kind: 'refused'; readonly message: Incoming } & RuleBreach)
  | { readonly kind: 'binary'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'closed' } & TransportClosed);

export type SendFailure = {
  /** `too-deep` and `too-large`: what was to be sent is no message, and never will be one. */
  readonly code: 'closed' | 'too-deep' | 'too-large' | 'refused' | 'timeout';
  readonly message: string;
};
export type Sent = Result<null, SendFailure>;

/** The parts of what a rule says that a protocol hands on. `isUnanswered`: the sender is told nothing. */
type RuleBreach = { readonly rule: string; readonly reason: string; readonly isUnanswered?: true };

export type RuleCheck<Message> = (message: Message) => RuleBreach | undefined;

export type AipProtocolOptions<Outgoing, Incoming> = {
  readonly transport: Transport;
  readonly parse: (text: string) => Parsed<Incoming>;
  /** The largest frame that is sent, in bytes: at a larger one the peer would end the connection. 104857600 by default. */
  readonly messageBytesMax?: number;
  /** Runs before any middleware or handler sees the message. */
  readonly validate?: RuleCheck<Incoming>;
  /** The first ones in the order of {@link AipProtocol.use}. */
  readonly middlewares?: readonly Middleware<Outgoing, Incoming>[];
  readonly logger: Logger;
};

/** Typed messages over one transport; what they mean is the endpoints' business. */
export type AipProtocol<Outgoing extends AipMessage, Incoming extends AipMessage> = {
  /** May be replaced between two frames, by any object that keeps the port's promises. */
  transport: Transport;
  use(middleware: Middleware<Outgoing, Incoming>): void;
  /** Adds a handler for a type, after those that are there. Returns an undo. */
  on(type: Incoming['type'], handler: (message: Incoming) => void | Promise<void>): () => void;
  /** Adds a message type of one's own, told by its member `type`. Returns an undo. @throws when the name is taken */
  onCustom<Value extends object>(type: string, schema: z.ZodType<Value>, handler: CustomHandler<Value>): () => void;
  /** Resolves when the message was handed to the socket. Messages leave in the order of the calls. */
  send(message: Outgoing): Promise<Sent>;
  /** Sends a frame of a custom type; middleware sees messages only. */
  sendCustom(frame: JsonObject): Promise<Sent>;
  /** Sends a text frame that describes bytes and, directly behind it, the bytes. */
  sendBinary(description: JsonObject, bytes: Uint8Array): Promise<Sent>;
  receive(): Promise<Received<Incoming>>;
  /** What a text frame is; for text that came in a binary frame. */
  read(text: string): Promise<Received<Incoming>>;
  /**
   * Runs the handlers of what was received one after another; one that fails is logged and stops nobody else. Says whether
   * there was one.
   */
  dispatch(received: Received<Incoming>): Promise<boolean>;
};

export function createAipProtocol<Outgoing extends AipMessage, Incoming extends AipMessage>(
  options: AipProtocolOptions<Outgoing, Incoming>,
): AipProtocol<Outgoing, Incoming> {
  const { parse, validate, logger, messageBytesMax = STOCK_SIZES.messageBytesMax } = options;
  const layers: Middleware<Outgoing, Incoming>[] = [...(options.middlewares ?? [])];
  const handlers = new Map<string, ((message: Incoming) => void | Promise<void>)[]>();
  const customTypes = createCustomTypes();
  /** Keeps the order of the calls although a middleware may take its time. */
  let lastOutgoing: Promise<unknown> = Promise.resolve();

  async function throughOutgoing(message: Outgoing): Promise<Result<Outgoing, SendFailure>> {
    let outgoing = message;
    for (const layer of layers) {
      if (!layer.outgoing) continue;
      try {
        outgoing = await layer.outgoing(outgoing);
      } catch (cause) {
        return err({ code: 'refused', message: refusalOf(layer.name, cause) });
      }
    }
    return ok(outgoing);
  }

  async function throughIncoming(message: Incoming): Promise<Received<Incoming>> {
    let incoming = message;
    for (const layer of layers.toReversed()) {
      if (!layer.incoming) continue;
      try {
        incoming = await layer.incoming(incoming);
      } catch (cause) {
        return { kind: 'refused', rule: layer.name, reason: refusalOf(layer.name, cause), message };
      }
    }
    return { kind: 'message', message: incoming };
  }

  /** A refusal is an answer; anything else that a middleware throws is its fault, and its message goes no further either. */
  function refusalOf(name: string, cause: unknown): string {
    if (cause instanceof MessageRefused) return cause.message;
    logger.error('aip-middleware-failed', { middleware: name, message: detailOf(cause) });
    return `The middleware "${name}" failed`;
  }

  async function handOver(what: string, frames: readonly FrameData[]): Promise<Sent> {
    if (frames.some((frame) => !fitsInto(messageBytesMax, frame))) {
      const message = `The message is larger than the ${messageBytesMax} bytes that a peer takes; send less`;
      return err({ code: 'too-large', message });
    }
    try {
      await Promise.all(frames.map((frame) => protocol.transport.send(frame)));
      return ok(null);
    } catch (cause) {
      if (!(cause instanceof ConnectionError)) throw cause;
      // Usual at every end of a connection; whoever must act on it has the result.
      logger.debug('aip-not-sent', { type: what, reason: cause.message });
      return err({ code: 'closed', message: cause.message });
    }
  }

  async function write(message: Outgoing): Promise<Sent> {
    const outgoing = layers.length === 0 ? ok(message) : await throughOutgoing(message);
    if (!outgoing.ok) return outgoing;
    const text = serialiseMessage(outgoing.value);
    return text.ok ? handOver(outgoing.value.type, [text.value]) : text;
  }

  async function read(text: string): Promise<Received<Incoming>> {
    const parsed = parse(text);
    if (!parsed.ok) {
      const custom = customTypes.read(text);
      if (custom?.ok) return { kind: 'custom', ...custom.value };
      return { kind: 'malformed', error: custom ? custom.error : parsed.error, text };
    }
    const breach = validate?.(parsed.value);
    if (breach) return { kind: 'refused', ...breach, message: parsed.value };
    return layers.length === 0 ? { kind: 'message', message: parsed.value } : throughIncoming(parsed.value);
  }

  /** Runs one handler; its fault is told here and goes no further. */
  async function isolated(type: string, handle: () => void | Promise<void>): Promise<void> {
    try {
      await handle();
    } catch (cause) {
      logger.error('aip-handler-failed', { type, message: detailOf(cause) });
    }
  }

  const protocol: AipProtocol<Outgoing, Incoming> = {
    transport: options.transport,
    use(layer) {
      layers.push(layer);
    },
    on(type, handler) {
      const entry = (message: Incoming) => handler(message);
      handlers.set(type, [...(handlers.get(type) ?? []), entry]);
      return () => {
        const left = (handlers.get(type) ?? []).filter((other) => other !== entry);
        handlers.set(type, left);
      };
    },
    onCustom: customTypes.add,
    send(message) {
      if (layers.length === 0) return write(message);
      const sent = lastOutgoing.then(() => write(message));
      lastOutgoing = sent.catch(() => {}); // told to the one who sent it
      return sent;
    },
    async sendCustom(frame) {
      const text = serialiseFrame(frame);
      return text.ok ? handOver(String(frame.type), [text.value]) : text;
    },
    async sendBinary(description, bytes) {
      const text = serialiseFrame(description);
      return text.ok ? handOver(String(description.type), [text.value, bytes]) : text;
    },
    async receive() {
      let frame: FrameData;
      try {
        frame = await protocol.transport.receiveAuto();
      } catch (cause) {
        if (!(cause instanceof ConnectionError)) throw cause;
        return { kind: 'closed', ...(cause.closed ?? { code: 1006, reason: cause.message, clean: false }) };
      }
      return typeof frame === 'string' ? read(frame) : { kind: 'binary', bytes: frame };
    },
    read,
    async dispatch(received) {
      if (received.kind === 'custom') {
        await isolated(received.type, received.handle);
        return true;
      }
      if (received.kind !== 'message') return false;
      const { message } = received;
      const entries = handlers.get(message.type) ?? [];
      for (const handler of entries) await isolated(message.type, () => handler(message));
      return entries.length > 0;
    },
  };
  return protocol;
}

/** Whether an outcome of a send says that its message can be written to nobody. */
export function isUnwritable({ code }: SendFailure): boolean {
  return code === 'too-deep' || code === 'too-large';
}

/** No unit of a text takes more than three bytes, so only a large one has to be measured. */
function fitsInto(bytesMax: number, frame: FrameData): boolean {
  if (frame.length > bytesMax) return false;
  return typeof frame !== 'string' || frame.length * 3 <= bytesMax || encodeUtf8(frame).length <= bytesMax;
}

function detailOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
