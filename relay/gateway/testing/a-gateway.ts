import type { FleetEvent } from '@/lib/fleet/events';
import type { Role } from '@/lib/relay-protocol/commands';
import { type Cursor, FLEET_STREAM, type StreamName } from '@/lib/relay-protocol/streams';
import { PROTOCOL_VERSION } from '@/lib/relay-protocol/version';
import { deviceIdSchema } from '@/lib/std/ids';
import { silentLogger } from '@/lib/std/logger';
import { createSessions } from '@/relay/auth/sessions';
import { createTickets } from '@/relay/auth/tickets';
import { createGateway } from '@/relay/gateway/gateway';
import { createFakeClock } from '@/relay/gateway/testing/fake-clock';
import { createFakeRuntime } from '@/relay/gateway/testing/fake-runtime';
import { FakeSocket } from '@/relay/gateway/testing/fake-socket';
import { createNodeRandom } from '@/relay/net/node-random';

type Wanted = { readonly stream: StreamName; readonly from: Cursor | null };

/** A gateway on a fake clock with fake sockets, and the words to talk to it. */
export function aGateway() {
  const clock = createFakeClock();
  const random = createNodeRandom();
  const runtime = createFakeRuntime({ clock, random });
  const sessions = createSessions({ kv: runtime.engine.kv, clock, random });
  const tickets = createTickets({ clock, random });
  sessions.onEnded((sessionId) => tickets.revokeOf(sessionId));
  const gateway = createGateway({ runtime, sessions, tickets, clock, random, logger: silentLogger });

  function connect(): FakeSocket {
    const socket = new FakeSocket();
    socket.session = gateway.accept(socket);
    return socket;
  }

  function ticketOf(role: Role = 'admin', sessionId: string | null = null): string {
    return tickets.issue({ actor: 'operator', role, sessionId }) ?? '';
  }

  function say(socket: FakeSocket, frame: unknown): void {
    socket.session?.receive(JSON.stringify(frame));
  }

  /** Connects and says hello. */
  function open(streams: readonly Wanted[] = [], ticket = ticketOf()): FakeSocket {
    const socket = connect();
    say(socket, { type: 'hello', protocolVersion: PROTOCOL_VERSION, ticket, streams });
    return socket;
  }

  /** One more event on the fleet's stream. */
  function commitFleet(count = 1): void {
    for (let index = 0; index < count; index += 1)
      runtime.commit(FLEET_STREAM, [deviceAdded(`d${runtime.head(FLEET_STREAM).number}`)]);
  }

  return { clock, runtime, sessions, tickets, gateway, connect, ticketOf, say, open, commitFleet };
}

export function deviceAdded(id: string): FleetEvent {
  return {
    type: 'device-added',
    atMs: 1,
    actor: 'operator',
    profile: {
      deviceId: deviceIdSchema.parse(id),
      serverUrl: 'ws://127.0.0.1:5000/ws',
      secretRef: null,
      os: 'linux',
      capabilities: [],
      metadata: {},
      autoConnect: false,
      maxRetries: 5,
    },
  };
}
