'use client';

import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { type StoreApi, useStore } from 'zustand';
import type { BoardCommands } from '@/lib/client/board-commands';
import type { CommandType, Role } from '@/lib/relay-protocol/commands';
import type { Link } from '@/lib/relay-protocol/link';
import type { StreamName } from '@/lib/relay-protocol/streams';
import type { BoardState } from '@/lib/store/board-state';
import { type ActionGate, gateFor } from './action-gate';
import { type Board, openBoard } from './board';
import { type ConnectionView, connectionView } from './connection-view';
import { shownNowMs } from './shown-now';

const BoardContext = createContext<Board | undefined>(undefined);

/** Opens the board in the browser, once per page; the server renders only `fallback`. */
export function ConstellationProvider({ children, fallback }: { children: ReactNode; fallback: ReactNode }) {
  const [board, setBoard] = useState<Board>();
  useEffect(() => {
    const opened = openBoard();
    setBoard(opened);
    return () => {
      setBoard(undefined);
      opened.close();
    };
  }, []);
  if (board === undefined) return fallback;
  return <BoardContext value={board}>{children}</BoardContext>;
}

function useBoardContext(): Board {
  const board = useContext(BoardContext);
  if (board === undefined) throw new Error('Expected to be inside of ConstellationProvider');
  return board;
}

/** Reads the smallest thing that the component needs; renders again only when that changes by identity. */
export function useBoard<Selected>(selector: (state: BoardState) => Selected): Selected {
  return useStore(useBoardContext().store.state, selector);
}

/** The store itself, for what is drawn outside of React's own reading; changes at most once per paint. */
export function useBoardStore(): StoreApi<BoardState> {
  return useBoardContext().store.state;
}

/** Sends commands; each returns the relay's verdict. */
export function useConstellationClient(): BoardCommands {
  return useBoardContext().commands;
}

/** Keeps a stream alive while the component is mounted; `undefined` for none. */
export function useStream(stream: StreamName | undefined): void {
  const { client } = useBoardContext();
  useEffect(() => (stream === undefined ? undefined : client.subscribe(stream)), [client, stream]);
}

export function useLink(): Link {
  return useBoard((state) => state.link);
}

/** What the header's pill says of the connection. */
export function useConnection(): ConnectionView {
  const link = useLink();
  const catchUp = useBoard((state) => state.catchUp);
  const nowMs = useNowMs();
  return connectionView({ link, catchUp, nowMs });
}

/** Whether a control that sends this command may be used now, and if not, why. */
export function useGate(type: CommandType): ActionGate {
  const link = useLink();
  const role = useRole();
  return gateFor(type, link, role);
}

export function useRole(): Role | undefined {
  return useBoard((state) => state.session?.role);
}

function useNowMs(): number {
  const { clock } = useBoardContext();
  return useSyncExternalStore(clock.subscribe, clock.read, clock.read);
}

/** What the relay's clock says of something, such as an age in words: renders again only when the words change. */
export function useClockText(words: (nowMs: number) => string): string {
  const { clock } = useBoardContext();
  const relayAheadMs = useBoard((state) => state.relayAheadMs);
  const link = useLink();
  const read = () => words(shownNowMs(link, clock.read()) + relayAheadMs);
  return useSyncExternalStore(clock.subscribe, read, read);
}

/**
 * The relay's clock in Unix milliseconds, once a second and for all components at the same moment. Stands still while the
 * relay is away.
 */
export function useNow(): number {
  const relayAheadMs = useBoard((state) => state.relayAheadMs);
  return shownNowMs(useLink(), useNowMs()) + relayAheadMs;
}
