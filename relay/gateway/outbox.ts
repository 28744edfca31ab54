import type { DownFrame } from '@/lib/relay-protocol/down';
import type { StreamName } from '@/lib/relay-protocol/streams';
import type { Register } from '@/relay/runtime/runtime-port';
import type { BrowserSocket } from './browser-socket';
import { SESSION_LIMITS } from './session-limits';
import type { StreamReader } from './stream-reader';

type OutboxOptions = {
  readonly socket: BrowserSocket;
  readonly readers: ReadonlyMap<StreamName, StreamReader>;
  /** The log no longer has what a reader needs next; it must be replaced. */
  readonly onHole: (reader: StreamReader) => void;
  readonly onProgress: () => void;
  readonly onFault: (cause: unknown) => void;
};

/**
 * What leaves for one browser: control frames first, then the newest registers, then whatever the streams have, in turn,
 * for as long as the socket has room and the page keeps up. Nothing but control frames is ever queued here.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #control: string[] = [];
  readonly #registers = new Map<string, Register>();
  #turn = 0;
  #isScheduled = false;
  #isClosed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  push(frame: DownFrame): void {
    this.#control.push(JSON.stringify(frame));
    this.wake();
  }

  /** Overwrites what waits: of a register only the newest value counts. */
  offer(register: Register): void {
    this.#registers.set(`${register.stream} ${register.key}`, register);
    this.wake();
  }

  forget(stream: StreamName): void {
    for (const [key, register] of this.#registers) if (register.stream === stream) this.#registers.delete(key);
  }

  /** Frames of one tick leave as one message. */
  wake(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      try {
        this.#pump();
      } catch (cause) {
        this.#options.onFault(cause);
      }
    });
  }

  /** True while something waits that the socket or the page does not take. */
  get isBlocked(): boolean {
    return !this.#hasRoom() && this.#hasWork();
  }

  /** Sends what is queued and takes nothing more. */
  close(lastFrame: DownFrame): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#send([...this.#control.splice(0), JSON.stringify(lastFrame)]);
  }

  stop(): void {
    this.#isClosed = true;
    this.#control.length = 0;
    this.#registers.clear();
  }

  #pump(): void {
    if (this.#isClosed) return;
    const frames = this.#control.splice(0);
    let room = SESSION_LIMITS.lowWaterBytes - this.#options.socket.bufferedAmount;
    for (const [key, register] of this.#registers) {
      if (room <= 0) break;
      if (this.#options.readers.get(register.stream)?.hasSnapshotToSend === true) continue;
      this.#registers.delete(key);
      const text = JSON.stringify({ type: 'register', ...register });
      frames.push(text);
      room -= text.length;
    }
    while (room > 0 && this.#unacked() < SESSION_LIMITS.unackedEventsMax) {
      const text = this.#nextOfStreams();
      if (text === undefined) break;
      frames.push(text);
      room -= text.length;
    }
    this.#send(frames);
  }

  #send(frames: readonly string[]): void {
    if (frames.length === 0) return;
    const text = frames.length === 1 ? (frames[0] ?? '') : `[${frames.join(',')}]`;
    this.#options.socket.send(text, () => {
      this.#options.onProgress();
      if (this.#hasWork()) this.wake();
    });
  }

  /** Round robin, so that a busy stream does not starve the others. */
  #nextOfStreams(): string | undefined {
    const readers = [...this.#options.readers.values()];
    for (let step = 0; step < readers.length; step += 1) {
      const index = (this.#turn + step) % readers.length;
      const reader = readers[index];
      const text = reader?.next();
      if (text === undefined || reader === undefined) continue;
      if (text === 'hole') {
        this.#options.onHole(reader);
        continue;
      }
      this.#turn = index + 1;
      return text;
    }
    return undefined;
  }

  #hasRoom(): boolean {
    const { socket } = this.#options;
    return socket.bufferedAmount < SESSION_LIMITS.lowWaterBytes && this.#unacked() < SESSION_LIMITS.unackedEventsMax;
  }

  #hasWork(): boolean {
    if (this.#control.length > 0 || this.#registers.size > 0) return true;
    for (const reader of this.#options.readers.values()) if (reader.isBehind) return true;
    return false;
  }

  #unacked(): number {
    let unacked = 0;
    for (const reader of this.#options.readers.values()) unacked += reader.unacked;
    return unacked;
  }
}
