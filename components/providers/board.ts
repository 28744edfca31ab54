import './zod-config';
import { type BoardCommands, createBoardCommands } from '@/lib/client/board-commands';
import { type ConstellationClient, createConstellationClient } from '@/lib/client/constellation-client';
import { FLEET_STREAM, RUNS_STREAM } from '@/lib/relay-protocol/streams';
import { commandIdSchema } from '@/lib/std/ids';
import { boardFolds } from '@/lib/store/board-folds';
import { type BoardStore, createBoardStore } from '@/lib/store/board-store';
import { browserClock } from './browser-clock';
import { createPaintSchedule } from './paint-schedule';
import { fetchTicket } from './relay-http';
import { createSocketOpener, socketAddress } from './relay-socket';
import { createSharedClock, type SharedClock } from './shared-clock';

/** The page's two halves, joined: the client that talks and the store that remembers. */
export type Board = {
  readonly store: BoardStore;
  readonly client: ConstellationClient;
  readonly commands: BoardCommands;
  readonly clock: SharedClock;
  close(): void;
};

export function openBoard(): Board {
  const store = createBoardStore({ folds: boardFolds, schedule: createPaintSchedule() });

  const client = createConstellationClient({
    openSocket: createSocketOpener({ fetchTicket, address: socketAddress, fraction: Math.random }),
    clock: browserClock,
    newCommandId: () => commandIdSchema.parse(randomId()),
    fraction: Math.random,
    events: {
      onFrame: (frame) => store.applyFrame(frame, Date.now()),
      onLink: store.linkChanged,
      onFollow: store.follow,
      onForget: store.forget,
      onCommandSent: store.commandSent,
      onCommandSettled: store.commandSettled,
      cursorOf: store.cursorOf,
    },
  });
  client.subscribe(FLEET_STREAM);
  client.subscribe(RUNS_STREAM);

  const check = () => {
    if (!document.hidden) client.check();
  };
  document.addEventListener('visibilitychange', check);
  window.addEventListener('online', check);

  return {
    store,
    client,
    commands: createBoardCommands(client.send),
    clock: createSharedClock(),
    close() {
      document.removeEventListener('visibilitychange', check);
      window.removeEventListener('online', check);
      client.close();
    },
  };
}

/** `crypto.randomUUID` exists only in secure contexts, and a relay on a private network may have no TLS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
