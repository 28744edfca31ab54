import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Command } from '@/lib/relay-protocol/commands';
import type { DownFrame } from '@/lib/relay-protocol/down';
import type { Link } from '@/lib/relay-protocol/link';
import type { Cursor, Position, StreamName } from '@/lib/relay-protocol/streams';
import { assertNever } from '@/lib/std/assert-never';
import type { CommandId } from '@/lib/std/ids';
import type { BoardFolds } from './board-folds';
import { type BoardState, EMPTY_BOARD } from './board-state';
import { createStreamTable, type StreamTable } from './stream-table';

/** Runs `flush` once, soon; called only when no flush is due. */
export type ScheduleFlush = (flush: () => void) => void;

export type BoardStore = {
  /** What React reads; changes at most once per scheduled flush. */
  readonly state: StoreApi<BoardState>;
  /** @returns streams that must be asked for again, from `cursorOf` */
  applyFrame(frame: DownFrame, nowMs: number): readonly StreamName[];
  linkChanged(link: Link): void;
  /** Begins to keep a stream; frames of streams that nobody follows are dropped. */
  follow(stream: StreamName): void;
  forget(stream: StreamName): void;
  /** The last position that was applied, also when it is not on the screen yet. */
  cursorOf(stream: StreamName): Cursor | null;
  commandSent(commandId: CommandId, command: Command): void;
  /** `positions` are those that the command wrote; none for a refusal. */
  commandSettled(commandId: CommandId, positions: readonly Position[]): void;
};

export type BoardStoreOptions = { readonly folds: BoardFolds; readonly schedule: ScheduleFlush };

/**
 * The browser's copy of the relay's state. Frames are folded at once and shown in batches, so that everything that one event
 * changes (node, counters, list, title) changes in the same paint.
 */
export function createBoardStore({ folds, schedule }: BoardStoreOptions): BoardStore {
  const state = createStore<BoardState>(() => EMPTY_BOARD);
  const table = createStreamTable(folds);
  let draft = EMPTY_BOARD;
  let isFlushDue = false;

  function update(patch: Partial<BoardState>): void {
    draft = { ...draft, ...patch };
    if (isFlushDue) return;
    isFlushDue = true;
    schedule(() => {
      isFlushDue = false;
      state.setState(draft, true);
    });
  }

  function refreshFromTable(): void {
    update({
      fleet: table.fleet(),
      runList: table.runList(),
      runs: table.runs(draft.runs),
      outputMarks: table.outputMarks(),
      catchUp: table.catchUp(),
      pending: withoutReached(draft.pending, table),
    });
  }

  return {
    state,
    applyFrame(frame, nowMs) {
      switch (frame.type) {
        case 'welcome':
          table.welcome(frame.streams);
          update({
            session: { actor: frame.actor, role: frame.role },
            relayAheadMs: frame.nowMs - nowMs,
          });
          refreshFromTable();
          return [];
        case 'snapshot':
        case 'events':
        case 'position':
        case 'reset': {
          const askAgain = table.take(frame);
          refreshFromTable();
          return askAgain ? [frame.stream] : [];
        }
        case 'register':
          if (table.takeRegister(frame)) update({ heardAtMs: table.heardAtMs(), outputMarks: table.outputMarks() });
          return [];
        case 'error':
          if (frame.code === 'unknown-stream' && frame.stream !== undefined) {
            table.missing(frame.stream);
            refreshFromTable();
          }
          return [];
        case 'result':
        case 'ping':
        case 'bye':
          return [];
        default:
          return assertNever(frame);
      }
    },
    linkChanged: (link) => update({ link }),
    follow(stream) {
      table.follow(stream);
      refreshFromTable();
    },
    forget(stream) {
      table.forget(stream);
      refreshFromTable();
    },
    cursorOf: (stream) => table.cursorOf(stream),
    commandSent(commandId, command) {
      update({ pending: new Map(draft.pending).set(commandId, { command, awaiting: null }) });
    },
    commandSettled(commandId, positions) {
      const mark = draft.pending.get(commandId);
      if (mark === undefined) return;
      const settled = new Map(draft.pending).set(commandId, { ...mark, awaiting: positions });
      update({ pending: withoutReached(settled, table) });
    },
  };
}

function withoutReached(pending: BoardState['pending'], table: StreamTable): BoardState['pending'] {
  const reached = [...pending].filter(([, mark]) => mark.awaiting !== null && table.hasReached(mark.awaiting));
  if (reached.length === 0) return pending;
  const left = new Map(pending);
  for (const [commandId] of reached) left.delete(commandId);
  return left;
}
