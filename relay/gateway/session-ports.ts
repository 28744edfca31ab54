import type { Cursor, StreamName } from '@/lib/relay-protocol/streams';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { Sessions } from '@/relay/auth/sessions';
import type { TicketHolder, Tickets } from '@/relay/auth/tickets';
import type { Register, Runtime } from '@/relay/runtime/runtime-port';
import type { BrowserSocket } from './browser-socket';
import type { EventTexts } from './event-texts';
import type { SnapshotTexts } from './snapshot-texts';

/** What all sessions share. */
export type GatewayPorts = {
  readonly runtime: Runtime;
  readonly tickets: Tickets;
  readonly sessions: Pick<Sessions, 'isAlive'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
};

/** Why a connection ends, and when the browser may come back. */
export type Bye = {
  readonly code: number;
  readonly reason: string;
  readonly afterMs?: number;
  readonly spreadMs?: number;
};

/** What the gateway needs of a session. */
export type GatewaySession = {
  readonly holder: TicketHolder | undefined;
  committed(stream: StreamName, head: Cursor): void;
  registered(register: Register): void;
  end(bye: Bye): void;
};

/** What a session tells the gateway, which knows all the others. */
export type SessionRegistry = {
  /** @returns false when this holder has too many connections already */
  identified(session: GatewaySession, holder: TicketHolder): boolean;
  reads(session: GatewaySession, stream: StreamName): void;
  readsNoMore(session: GatewaySession, stream: StreamName): void;
  ended(session: GatewaySession): void;
};

export type SessionOptions = GatewayPorts & {
  readonly socket: BrowserSocket;
  readonly texts: EventTexts;
  readonly snapshots: SnapshotTexts;
  readonly registry: SessionRegistry;
};
