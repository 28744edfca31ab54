import { CLOSE } from '@/lib/relay-protocol/close-codes';
import type { Cursor, StreamName } from '@/lib/relay-protocol/streams';
import { BROWSER_TIMING, COMMANDS_UNANSWERED_MAX, FRAME_BYTES_MAX } from '@/lib/relay-protocol/timing';
import type { UpFrame } from '@/lib/relay-protocol/up';
import { PROTOCOL_VERSION } from '@/lib/relay-protocol/version';
import { assertNever } from '@/lib/std/assert-never';
import type { CancelTimer } from '@/lib/std/clock';
import type { TicketHolder } from '@/relay/auth/tickets';
import type { Actor, Register } from '@/relay/runtime/runtime-port';
import { CommandDesk } from './command-desk';
import { Outbox } from './outbox';
import { parseUpFrame } from './parse-up-frame';
import { SESSION_LIMITS } from './session-limits';
import type { Bye, GatewaySession, SessionOptions } from './session-ports';
import { StreamReader } from './stream-reader';
import { TokenBucket } from './token-bucket';

type Frame<Type extends UpFrame['type']> = Extract<UpFrame, { type: Type }>;

/**
 * One browser, from its socket to its end.
 *
 * ```
 * waiting ── hello, ticket good ──► open ── bye, fault, sign-out, silence ──► closing ──► closed
 *    └──────── 5 s, bad frame, bad ticket ───────────────────────────────────────┘
 * ```
 */
export class BrowserSession implements GatewaySession {
  readonly #options: SessionOptions;
  readonly #readers = new Map<StreamName, StreamReader>();
  readonly #outbox: Outbox;
  readonly #desk: CommandDesk;
  readonly #timers: CancelTimer[] = [];
  readonly #frames: TokenBucket;
  readonly #controlFrames: TokenBucket;
  #phase: 'waiting' | 'open' | 'closing' | 'closed' = 'waiting';
  #holder: TicketHolder | undefined;
  #heardAtMs: number;
  #movedAtMs: number;
  #cancelPing: CancelTimer = () => {};

  constructor(options: SessionOptions) {
    this.#options = options;
    const { clock, socket } = options;
    const nowMs = clock.now();
    this.#heardAtMs = nowMs;
    this.#movedAtMs = nowMs;
    this.#frames = new TokenBucket(SESSION_LIMITS.frames, nowMs);
    this.#controlFrames = new TokenBucket(SESSION_LIMITS.controlFrames, nowMs);
    this.#outbox = new Outbox({
      socket,
      readers: this.#readers,
      onHole: (reader) => this.#startAgain(reader.stream),
      onProgress: () => this.#moved(),
      onFault: (cause) => this.#failed(cause),
    });
    this.#desk = new CommandDesk({
      runtime: options.runtime,
      nowMs,
      push: (frame) => this.#outbox.push(frame),
      onFault: (cause) => this.#failed(cause),
    });
    this.#timers.push(clock.after(BROWSER_TIMING.helloMs, () => this.#helloIsLate()));
  }

  get holder(): TicketHolder | undefined {
    return this.#holder;
  }

  /** One text message of the browser. */
  receive(text: string): void {
    this.#guarded(() => this.#receive(text));
  }

  #receive(text: string): void {
    if (!this.#isListening() || !this.#mayReceive()) return;
    const frame = parseUpFrame(text);
    if (!frame.ok) {
      const code = frame.error.kind === 'other-version' ? CLOSE.versionNotSupported : CLOSE.protocolError;
      this.#outbox.push({ type: 'error', code: frame.error.kind, message: frame.error.message });
      this.end({ code, reason: frame.error.kind });
    } else if (this.#phase === 'waiting') this.#greet(frame.value);
    else this.#handle(frame.value);
  }

  receiveBinary(): void {
    if (!this.#isListening()) return;
    this.#outbox.push({ type: 'error', code: 'bad-frame', message: 'Expected text, got a binary message.' });
    this.end({ code: CLOSE.protocolError, reason: 'bad-frame' });
  }

  /** A ping or pong of the WebSocket protocol: nothing to do, but not for free. */
  receiveControlFrame(): void {
    if (!this.#isListening()) return;
    const nowMs = this.#options.clock.now();
    this.#heardAtMs = nowMs;
    if (this.#controlFrames.take(nowMs) < 0) this.end({ code: CLOSE.rateLimited, reason: 'too many pings' });
  }

  committed(stream: StreamName, head: Cursor): void {
    const reader = this.#readers.get(stream);
    if (reader === undefined) return;
    if (!reader.advance(head)) this.#guarded(() => this.#startAgain(stream));
    this.#outbox.wake();
  }

  registered(register: Register): void {
    if (this.#readers.has(register.stream)) this.#outbox.offer(register);
  }

  /** Says why, closes, and makes it final when the browser does not answer. May be called twice. */
  end(bye: Bye): void {
    if (!this.#isListening()) return;
    const { clock, socket } = this.#options;
    this.#stopTimers();
    this.#phase = 'closing';
    this.#outbox.close({ type: 'bye', afterMs: 0, spreadMs: 0, ...bye });
    socket.close(bye.code, bye.reason);
    this.#timers.push(clock.after(SESSION_LIMITS.closeMs, () => socket.terminate()));
  }

  /** The socket is gone, for whatever reason. */
  closed(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#stopTimers();
    this.#outbox.stop();
    for (const stream of this.#readers.keys()) this.#options.registry.readsNoMore(this, stream);
    this.#readers.clear();
    this.#options.registry.ended(this);
  }

  #isListening(): boolean {
    return this.#phase === 'waiting' || this.#phase === 'open';
  }

  #stopTimers(): void {
    this.#cancelPing();
    for (const cancel of this.#timers.splice(0)) cancel();
  }

  #helloIsLate(): void {
    this.end({ code: CLOSE.protocolError, reason: `no hello within ${BROWSER_TIMING.helloMs / 1000} s` });
  }

  /** First a warning, then the end; a page of ours never comes near. */
  #mayReceive(): boolean {
    const nowMs = this.#options.clock.now();
    this.#heardAtMs = nowMs;
    const left = this.#frames.take(nowMs, SESSION_LIMITS.framesDebtMax);
    if (left < -SESSION_LIMITS.framesDebtMax) {
      this.end({ code: CLOSE.rateLimited, reason: 'too many frames', afterMs: 10_000, spreadMs: 5_000 });
      return false;
    }
    if (left < 0 && left >= -1) {
      const message = `At most ${SESSION_LIMITS.frames.burst} frames in 10 s; send fewer or be disconnected.`;
      this.#outbox.push({ type: 'error', code: 'rate-limited', message });
    }
    return true;
  }

  #greet(frame: UpFrame): void {
    if (frame.type !== 'hello') {
      this.#outbox.push({ type: 'error', code: 'hello-expected', message: `Expected hello first, got ${frame.type}.` });
      this.end({ code: CLOSE.protocolError, reason: 'hello expected' });
      return;
    }
    const { tickets, registry, clock, random } = this.#options;
    const holder = tickets.redeem(frame.ticket);
    if (holder === undefined) {
      this.end({ code: CLOSE.ticketExpired, reason: 'ticket unknown, used or older than 30 s' });
      return;
    }
    this.#holder = holder;
    if (!registry.identified(this, holder)) {
      this.end({ code: CLOSE.tooManyConnections, reason: 'too many connections of this session' });
      return;
    }
    this.#stopTimers();
    this.#phase = 'open';
    const streams = new Map(frame.streams.map(({ stream, from }) => [stream, this.#open(stream, from)]));
    this.#outbox.push({
      type: 'welcome',
      protocolVersion: PROTOCOL_VERSION,
      connectionId: random.uuid(),
      actor: holder.actor,
      role: holder.role,
      nowMs: clock.now(),
      heartbeat: { pingEveryMs: BROWSER_TIMING.pingEveryMs, giveUpAfterMs: BROWSER_TIMING.pageGivesUpMs },
      limits: { frameBytesMax: FRAME_BYTES_MAX, commandsUnansweredMax: COMMANDS_UNANSWERED_MAX },
      streams: [...streams].map(([stream, reader]) => ({
        stream,
        ...(reader?.head ?? { epoch: 'unknown', number: 0 }),
        mode: reader?.mode ?? 'unknown',
      })),
    });
    for (const reader of streams.values()) if (reader !== undefined) this.#announce(reader);
    this.#startTimers();
  }

  #startTimers(): void {
    const { clock } = this.#options;
    this.#timers.push(
      clock.every(SESSION_LIMITS.checkEveryMs, () => this.#check()),
      clock.every(BROWSER_TIMING.positionEveryMs, () => this.#guarded(() => this.#bookmark())),
    );
    this.#pingLater();
  }

  #handle(frame: UpFrame): void {
    switch (frame.type) {
      case 'hello':
        this.#outbox.push({ type: 'error', code: 'bad-frame', message: 'Expected one hello per connection.' });
        this.end({ code: CLOSE.protocolError, reason: 'second hello' });
        return;
      case 'subscribe':
        this.#subscribe(frame);
        return;
      case 'unsubscribe':
        this.#close(frame.stream);
        return;
      case 'command':
        this.#command(frame);
        return;
      case 'ack':
        for (const { stream, number } of frame.positions)
          if (this.#readers.get(stream)?.acknowledge(number)) this.#moved();
        this.#outbox.wake();
        return;
      case 'pong':
        return;
      case 'bye':
        this.end({ code: 1000, reason: 'bye' });
        return;
      default:
        assertNever(frame);
    }
  }

  #subscribe(frame: Frame<'subscribe'>): void {
    if (!this.#readers.has(frame.stream) && this.#readers.size >= SESSION_LIMITS.streamsMax) {
      const message = `At most ${SESSION_LIMITS.streamsMax} streams per connection; unsubscribe from one first.`;
      this.#outbox.push({ type: 'error', code: 'too-many-streams', message, stream: frame.stream });
      return;
    }
    const reader = this.#open(frame.stream, frame.from);
    if (reader === undefined) {
      const message = `There is no stream "${frame.stream}"; its run may have been removed.`;
      this.#outbox.push({ type: 'error', code: 'unknown-stream', message, stream: frame.stream });
      return;
    }
    this.#announce(reader);
    if (reader.mode === 'live') this.#outbox.push({ type: 'position', stream: reader.stream, ...reader.head });
  }

  #open(stream: StreamName, from: Cursor | null): StreamReader | undefined {
    const { runtime, texts, snapshots, registry } = this.#options;
    if (!runtime.hasStream(stream)) return undefined;
    const reader = new StreamReader({ runtime, texts, snapshots }, stream, from);
    this.#readers.set(stream, reader);
    registry.reads(this, stream);
    return reader;
  }

  /** Says first what is void; the rest comes through the one loop. */
  #announce(reader: StreamReader): void {
    const { stream, resetReason } = reader;
    if (resetReason !== undefined) this.#outbox.push({ type: 'reset', stream, ...reader.head, reason: resetReason });
    for (const register of this.#options.runtime.registers(stream)) this.#outbox.offer(register);
    this.#outbox.wake();
  }

  #startAgain(stream: StreamName): void {
    const { runtime } = this.#options;
    const old = this.#readers.get(stream)?.head;
    const head = runtime.head(stream);
    const reason = old?.epoch === head.epoch ? 'too-old' : 'epoch';
    const reader = this.#open(stream, null);
    if (reader === undefined) return;
    this.#outbox.push({ type: 'reset', stream, ...reader.head, reason });
    this.#announce(reader);
  }

  #close(stream: StreamName): void {
    if (!this.#readers.delete(stream)) return;
    this.#outbox.forget(stream);
    this.#options.registry.readsNoMore(this, stream);
  }

  #command(frame: Frame<'command'>): void {
    const holder = this.#holder;
    if (holder === undefined) return;
    const actor: Actor = { name: holder.actor, role: holder.role, via: holder.sessionId === null ? 'api' : 'ui' };
    void this.#desk.take(frame, actor, this.#options.clock.now());
  }

  /**
   * A fault of ours ends this connection and nothing else. The page comes back, and a command that it sends again is
   * done once.
   */
  #failed(cause: unknown): void {
    const correlationId = this.#options.random.uuid();
    const error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    this.#options.logger.error('browser-session-failed', { correlationId, actor: this.#holder?.actor, error });
    this.end({ code: CLOSE.resync, reason: `internal error ${correlationId}`, afterMs: 1_000, spreadMs: 2_000 });
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (cause) {
      this.#failed(cause);
    }
  }

  #moved(): void {
    this.#movedAtMs = this.#options.clock.now();
  }

  /** Silence, and readers that do not move. */
  #check(): void {
    const nowMs = this.#options.clock.now();
    if (nowMs - this.#heardAtMs >= BROWSER_TIMING.relayGivesUpMs) {
      this.end({ code: CLOSE.noPong, reason: `nothing heard for ${BROWSER_TIMING.relayGivesUpMs / 1000} s` });
    } else if (!this.#outbox.isBlocked) this.#moved();
    else if (nowMs - this.#movedAtMs >= SESSION_LIMITS.stalledMs) {
      this.#options.logger.warn('browser-too-slow', { actor: this.#holder?.actor, afterMs: nowMs - this.#movedAtMs });
      this.end({ code: CLOSE.tooSlow, reason: 'reads too slowly', afterMs: 1_000, spreadMs: 4_000 });
    }
  }

  /** A reader that stands elsewhere sees that it lost something; a wake-up that was lost is made up for. */
  #bookmark(): void {
    for (const reader of [...this.#readers.values()]) {
      const head = this.#options.runtime.head(reader.stream);
      if (!reader.advance(head)) this.#startAgain(reader.stream);
      else if (!reader.isBehind) this.#outbox.push({ type: 'position', stream: reader.stream, ...head });
    }
    this.#outbox.wake();
  }

  /** Spread by a tenth, so that thousands of connections do not all speak in the same moment. */
  #pingLater(): void {
    const { clock, random } = this.#options;
    const delayMs = BROWSER_TIMING.pingEveryMs * (0.9 + 0.2 * random.fraction());
    this.#cancelPing = clock.after(delayMs, () => this.#guarded(() => this.#ping()));
  }

  #ping(): void {
    const sessionId = this.#holder?.sessionId ?? null;
    if (sessionId !== null && !this.#options.sessions.isAlive(sessionId)) {
      this.end({ code: CLOSE.sessionEnded, reason: 'the session has ended' });
      return;
    }
    this.#outbox.push({ type: 'ping', sentAtMs: this.#options.clock.now() });
    this.#pingLater();
  }
}
