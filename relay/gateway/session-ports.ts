import type { StreamName } from '@/lib/relay-protocol/streams';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { Sessions } from '@/relay/auth/sessions';
import type { TicketHolder, Tickets } from '@/relay/auth/tickets';
import type { Runtime } from '@/relay/runtime/runtime-port';
import type { BrowserSession } from './browser-session';
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

/** What a session tells the gateway, which knows all the others. */
export type SessionRegistry = {
  /** @returns false when this holder has too many connections already */
  identified(session: BrowserSession, holder: TicketHolder): boolean;
  reads(session: BrowserSession, stream: StreamName): void;
  readsNoMore(session: BrowserSession, stream: StreamName): void;
  ended(session: BrowserSession): void;
};

export type SessionOptions = GatewayPorts & {
  readonly socket: BrowserSocket;
  readonly texts: EventTexts;
  readonly snapshots: SnapshotTexts;
  readonly registry: SessionRegistry;
};
