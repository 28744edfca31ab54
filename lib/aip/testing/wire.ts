import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import { ConnectionError, type Transport, type TransportClosed } from '@/lib/aip/transport/transport';
import { type JsonObject, type JsonValue, jsonObjectSchema } from '@/lib/std/json';
import { withoutNullsDeep } from './vectors';

/** One end of a connection in a test: what the other end said, as plain JSON without null members. */
export type Wire = {
  readonly transport: Transport;
  say(message: JsonObject): Promise<void>;
  /** Everything that was heard since the last call. */
  heard(): readonly JsonObject[];
  readonly last: JsonObject | undefined;
  readonly closed: TransportClosed | undefined;
};

/** A connection whose far end goes to `accept`; the near end is in the test's hands. */
export function openWire(accept: (transport: Transport) => void): Wire {
  const [near, far] = createMemoryPair();
  const wire = listenOn(near);
  accept(far);
  return wire;
}

export function listenOn(transport: Transport): Wire {
  let fresh: JsonObject[] = [];
  let last: JsonObject | undefined;
  let closed: TransportClosed | undefined;

  async function listen() {
    for (;;) {
      const frame = await transport.receiveAuto();
      if (typeof frame !== 'string') continue;
      const message = jsonObjectSchema.parse(withoutNullsDeep(JSON.parse(frame)));
      fresh.push(message);
      last = message;
    }
  }
  listen().catch(async (cause: unknown) => {
    if (!(cause instanceof ConnectionError)) throw cause;
    closed = await transport.waitClosed();
  });

  return {
    transport,
    say: (message) => transport.send(JSON.stringify(message)),
    heard() {
      const taken = fresh;
      fresh = [];
      return taken;
    },
    get last() {
      return last;
    },
    get closed() {
      return closed;
    },
  };
}

/** Follows `a.0.b` into a value. */
export function memberOf(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let member: unknown = value;
  for (const part of path.split('.')) {
    member = typeof member === 'object' && member !== null ? Reflect.get(member, part) : undefined;
  }
  return member as JsonValue | undefined;
}
