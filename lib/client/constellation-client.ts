import { CLOSE, closeAdvice } from '@/lib/relay-protocol/close-codes';
import type { Command } from '@/lib/relay-protocol/commands';
import type { DownFrame } from '@/lib/relay-protocol/down';
import type { Link } from '@/lib/relay-protocol/link';
import type { Cursor, Position, StreamName } from '@/lib/relay-protocol/streams';
import { BROWSER_TIMING, COMMANDS_UNANSWERED_MAX } from '@/lib/relay-protocol/timing';
import type { UpFrame } from '@/lib/relay-protocol/up';
import { PROTOCOL_VERSION } from '@/lib/relay-protocol/version';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { CommandId } from '@/lib/std/ids';
import { createAcknowledger } from './acknowledger';
import type { CommandVerdict } from './command-verdict';
import { parseDownMessage } from './parse-down-message';
import { COMMAND_ANSWER_MS, createPendingCommands } from './pending-commands';
import type { OpenRelaySocket, RelaySocket, SocketClose } from './socket-port';
import { createSubscriptions } from './subscriptions';

/** What the client tells, and asks, of the copy that the page keeps. */
export type ClientEvents = {
  /** @returns streams that lost something on the way and must be asked for again */
  onFrame(frame: DownFrame): readonly StreamName[];
  onLink(link: Link): void;
  onFollow(stream: StreamName): void;
  onForget(stream: StreamName): void;
  onCommandSent(commandId: CommandId, command: Command): void;
  onCommandSettled(commandId: CommandId, positions: readonly Position[]): void;
  cursorOf(stream: StreamName): Cursor | null;
};

export type ClientOptions = {
  readonly openSocket: OpenRelaySocket;
  readonly clock: Clock;
  readonly newCommandId: () => CommandId;
  /** In [0, 1); spreads returns after a planned restart of the relay. */
  readonly fraction: () => number;
  readonly events: ClientEvents;
};

/** The page's connection to the relay: one socket, all streams, all commands. */
export type ConstellationClient = {
  /** Nothing is kept for later: while the link is not open the verdict is `unsent` at once. */
  send(command: Command): Promise<CommandVerdict>;
  /** Keeps a stream while somebody looks. @returns ends it; may be called twice */
  subscribe(stream: StreamName): () => void;
  /** The page became visible or the network came back: finds out at once whether the link still lives. */
  check(): void;
  /** For good. May be called twice. */
  close(): void;
};

/** How often silence is measured. */
const CHECK_EVERY_MS = 1_000;
const WELCOME_MS = 10_000;

export function createConstellationClient(options: ClientOptions): ConstellationClient {
  const { clock, events } = options;
  const pending = createPendingCommands(clock);
  const acknowledger = createAcknowledger(clock, acknowledge);
  const subscriptions = createSubscriptions(clock, {
    onFirst(stream) {
      events.onFollow(stream);
      if (isWelcome) sendFrame({ type: 'subscribe', stream, from: null });
    },
    onLast(stream) {
      events.onForget(stream);
      if (isWelcome) sendFrame({ type: 'unsubscribe', stream });
    },
  });

  let link: Link = { phase: 'connecting', freshAtMs: null };
  let isOpen = false;
  let isWelcome = false;
  let isClosed = false;
  let openedAtMs = 0;
  let heardAtMs = 0;
  /** Until when the copy on the screen was known to be true; null before the first welcome. */
  let freshAtMs: number | null = null;
  let giveUpAfterMs: number = BROWSER_TIMING.pageGivesUpMs;
  /** Relay's clock minus ours. */
  let relayAheadMs = 0;
  let bye: { readonly code: number; readonly afterMs: number } | null = null;

  const socket: RelaySocket = options.openSocket({
    onOpen(ticket) {
      isOpen = true;
      openedAtMs = clock.now();
      bye = null;
      const streams = subscriptions.streams().map((stream) => ({ stream, from: events.cursorOf(stream) }));
      sendFrame({ type: 'hello', protocolVersion: PROTOCOL_VERSION, ticket, streams });
    },
    onMessage(text) {
      heardAtMs = clock.now();
      const frames = parseDownMessage(text);
      if (frames.ok) for (const frame of frames.value) takeFrame(frame);
      else stop(`The relay sent something that this page does not understand (${frames.error}); reload the page`);
    },
    onClose(close) {
      if (isClosed) return;
      lose();
      afterClose(close);
    },
    onWaiting(retryAtMs) {
      if (!isClosed) setLink({ phase: 'waiting', retryAtMs, freshAtMs });
    },
    onSignedOut: signOut,
  });
  events.onLink(link);
  const stopWatching: CancelTimer = clock.every(CHECK_EVERY_MS, dropIfSilent);

  function setLink(next: Link): void {
    link = next;
    events.onLink(link);
  }

  function acknowledge(streams: readonly StreamName[]): void {
    const positions = streams.flatMap((stream) => {
      const number = events.cursorOf(stream)?.number;
      return number === undefined ? [] : [{ stream, number }];
    });
    if (positions.length > 0) sendFrame({ type: 'ack', positions });
  }

  function sendFrame(frame: UpFrame): boolean {
    return socket.send(JSON.stringify(frame));
  }

  function takeFrame(frame: DownFrame): void {
    // Frames are handled from the message handler alone, since timers of hidden tabs fire once a minute at best.
    if (frame.type === 'ping') sendFrame({ type: 'pong', sentAtMs: frame.sentAtMs });
    if (frame.type === 'bye') bye = { code: frame.code, afterMs: frame.afterMs + options.fraction() * frame.spreadMs };
    if (frame.type === 'welcome') {
      giveUpAfterMs = frame.heartbeat.giveUpAfterMs;
      relayAheadMs = frame.nowMs - clock.now();
    }
    const lost = events.onFrame(frame);
    for (const stream of lost) sendFrame({ type: 'subscribe', stream, from: events.cursorOf(stream) });
    if (frame.type === 'welcome') takeWelcome(new Set(frame.streams.map(({ stream }) => stream)));
    if (frame.type === 'result') {
      const { outcome } = frame;
      if (outcome.status !== 'rejected') events.onCommandSettled(frame.commandId, outcome.positions);
      else events.onCommandSettled(frame.commandId, []);
      pending.settle(frame.commandId, outcome);
    }
    if (frame.type === 'events') acknowledger.applied(frame.stream, frame.events.length);
    if (frame.type === 'snapshot') acknowledger.applied(frame.stream, 1);
  }

  function takeWelcome(greeted: ReadonlySet<StreamName>): void {
    isWelcome = true;
    setLink({ phase: 'open' });
    for (const stream of subscriptions.streams()) {
      if (!greeted.has(stream)) sendFrame({ type: 'subscribe', stream, from: events.cursorOf(stream) });
    }
    for (const text of pending.takeUnanswered()) socket.send(text);
  }

  function dropIfSilent(): void {
    if (!isOpen) return;
    const silentMs = clock.now() - Math.max(openedAtMs, heardAtMs);
    // The next look would come too late: the deadline is a promise of the pill, not only of this timer.
    if (silentMs + CHECK_EVERY_MS <= (isWelcome ? giveUpAfterMs : WELCOME_MS)) return;
    if (isWelcome) freshAtMs = heardAtMs;
    isWelcome = false;
    socket.reconnectNow();
  }

  function lose(): void {
    if (isWelcome) freshAtMs = clock.now();
    isOpen = false;
    isWelcome = false;
    acknowledger.reset();
  }

  function afterClose(close: SocketClose): void {
    if (close.code === CLOSE.sessionEnded) signOut();
    else if (closeAdvice(close.code) === 'stop') {
      stop(close.reason === '' ? `The relay closed the connection with code ${close.code}` : close.reason);
    } else {
      setLink({ phase: 'connecting', freshAtMs });
      if (bye !== null) socket.reconnectAfter(bye.afterMs);
    }
  }

  function stop(reason: string): void {
    socket.close();
    lose();
    setLink({ phase: 'stopped', reason, freshAtMs });
  }

  function signOut(): void {
    socket.close();
    lose();
    setLink({ phase: 'signed-out' });
  }

  return {
    async send(command) {
      if (!isWelcome) return { status: 'unsent', why: 'offline' };
      if (pending.size >= COMMANDS_UNANSWERED_MAX) return { status: 'unsent', why: 'too-many' };
      const commandId = options.newCommandId();
      const deadlineMs = clock.now() + relayAheadMs + COMMAND_ANSWER_MS;
      const text = JSON.stringify({ type: 'command', commandId, command, deadlineMs } satisfies UpFrame);
      if (!socket.send(text)) return { status: 'unsent', why: 'offline' };
      events.onCommandSent(commandId, command);
      const verdict = await pending.add(commandId, text);
      if (verdict.status === 'unknown') events.onCommandSettled(commandId, []);
      return verdict;
    },
    subscribe: (stream) => subscriptions.add(stream),
    check() {
      if (isOpen) dropIfSilent();
      else if (link.phase === 'waiting' && bye === null) socket.reconnectNow();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      if (isWelcome) sendFrame({ type: 'bye' });
      stopWatching();
      subscriptions.close();
      acknowledger.reset();
      pending.close();
      socket.close();
    },
  };
}
