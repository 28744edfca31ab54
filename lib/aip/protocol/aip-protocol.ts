import type { ClientMessage, Parsed, ServerMessage } from '@/lib/aip/messages';
import { type AipParseError, serialiseMessage } from '@/lib/aip/messages';
import { type Transport, type TransportClosed, TransportError } from '@/lib/aip/transport/transport';
import type { Logger } from '@/lib/std/logger';
import { err, ok, type Result } from '@/lib/std/result';

type Message = ClientMessage | ServerMessage;

/** A look at, or a change of, what passes. Outgoing in the order of adding, incoming in reverse, like layers of a coat. */
export type Middleware<Outgoing, Incoming> = {
  readonly outgoing?: (message: Outgoing) => Outgoing | Promise<Outgoing>;
  readonly incoming?: (message: Incoming) => Incoming | Promise<Incoming>;
};

export type Received<Incoming> =
  | { readonly kind: 'message'; readonly message: Incoming }
  | { readonly kind: 'malformed'; readonly error: AipParseError; readonly text: string }
  | { readonly kind: 'binary'; readonly bytes: Uint8Array }
  | TransportClosed;

export type SendFailure = { readonly code: 'closed' | 'too-deep'; readonly message: string };

export type AipProtocolOptions<Incoming> = {
  readonly transport: Transport;
  readonly parse: (text: string) => Parsed<Incoming>;
  readonly logger: Logger;
};

/** Typed messages over one transport; what they mean is the endpoints' business. */
export type AipProtocol<Outgoing extends Message, Incoming extends Message> = {
  readonly transport: Transport;
  use(middleware: Middleware<Outgoing, Incoming>): void;
  /** Adds a handler for a type, after those that are there. Returns an undo. */
  on(type: Incoming['type'], handler: (message: Incoming) => void | Promise<void>): () => void;
  /** Resolves when the message was handed to the socket. */
  send(message: Outgoing): Promise<Result<null, SendFailure>>;
  receive(): Promise<Received<Incoming>>;
  /** Runs the handlers of the message's type one after another; says whether there was one. */
  dispatch(message: Incoming): Promise<boolean>;
};

export function createAipProtocol<Outgoing extends Message, Incoming extends Message>(
  options: AipProtocolOptions<Incoming>,
): AipProtocol<Outgoing, Incoming> {
  const { transport, parse, logger } = options;
  const middleware: Middleware<Outgoing, Incoming>[] = [];
  const handlers = new Map<string, ((message: Incoming) => void | Promise<void>)[]>();

  return {
    transport,
    use(layer) {
      middleware.push(layer);
    },
    on(type, handler) {
      const entry = (message: Incoming) => handler(message);
      handlers.set(type, [...(handlers.get(type) ?? []), entry]);
      return () => {
        handlers.set(
          type,
          (handlers.get(type) ?? []).filter((other) => other !== entry),
        );
      };
    },
    async send(message) {
      let outgoing = message;
      for (const layer of middleware) {
        if (layer.outgoing) outgoing = await layer.outgoing(outgoing);
      }
      const text = serialiseMessage(outgoing);
      if (!text.ok) return text;
      try {
        await transport.send({ kind: 'text', text: text.value });
        return ok(null);
      } catch (cause) {
        if (!(cause instanceof TransportError)) throw cause;
        return err({ code: 'closed', message: cause.message });
      }
    },
    async receive() {
      const frame = await transport.receive();
      if (frame.kind !== 'text') return frame;
      const parsed = parse(frame.text);
      if (!parsed.ok) return { kind: 'malformed', error: parsed.error, text: frame.text };
      let message = parsed.value;
      for (const layer of middleware.toReversed()) {
        if (layer.incoming) message = await layer.incoming(message);
      }
      return { kind: 'message', message };
    },
    async dispatch(message) {
      const entries = handlers.get(message.type) ?? [];
      for (const handler of entries) {
        try {
          await handler(message);
        } catch (cause) {
          // One handler's fault is not the next one's: it is told here and goes no further.
          const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
          logger.error('aip-handler-failed', { type: message.type, message: detail });
        }
      }
      return entries.length > 0;
    },
  };
}
