import type { DownFrame } from '@/lib/relay-protocol/down';
import type { Cursor, StreamName } from '@/lib/relay-protocol/streams';

type StreamState = { cursor: Cursor | null; events: unknown[]; parts: string[] };

/**
 * What a page would know: its state is the list of events, which the fake runtime's snapshots hold too. Applies by the
 * rules of PROTOCOL.md and throws where a page would have to reload.
 */
export class PageFold {
  readonly streams = new Map<StreamName, StreamState>();

  cursorOf(stream: StreamName): Cursor | null {
    return this.streams.get(stream)?.cursor ?? null;
  }

  eventsOf(stream: StreamName): readonly unknown[] {
    return this.streams.get(stream)?.events ?? [];
  }

  apply(frame: DownFrame): void {
    if (frame.type === 'reset') this.streams.set(frame.stream, { cursor: null, events: [], parts: [] });
    if (frame.type === 'snapshot') this.#applyPart(frame);
    if (frame.type === 'events') this.#applyEvents(frame);
    if (frame.type === 'position') {
      const cursor = this.cursorOf(frame.stream);
      if (cursor?.number !== frame.number) throw new Error(`Expected ${cursor?.number}, bookmark says ${frame.number}`);
    }
  }

  #applyPart(frame: Extract<DownFrame, { type: 'snapshot' }>): void {
    const state = this.#stateOf(frame.stream);
    if (frame.part !== state.parts.length + 1) throw new Error(`Expected part ${state.parts.length + 1}`);
    state.parts.push(frame.text);
    if (frame.part < frame.parts) return;
    state.events = JSON.parse(state.parts.join(''));
    state.parts = [];
    state.cursor = { epoch: frame.epoch, number: frame.number };
  }

  #applyEvents(frame: Extract<DownFrame, { type: 'events' }>): void {
    const state = this.#stateOf(frame.stream);
    if (state.cursor?.epoch !== frame.epoch || state.cursor.number + 1 !== frame.number) {
      throw new Error(
        `Expected number ${(state.cursor?.number ?? 0) + 1} of ${state.cursor?.epoch}, got ${frame.number}`,
      );
    }
    state.events.push(...frame.events);
    state.cursor = { epoch: frame.epoch, number: frame.number + frame.events.length - 1 };
  }

  #stateOf(stream: StreamName): StreamState {
    const state = this.streams.get(stream) ?? { cursor: null, events: [], parts: [] };
    this.streams.set(stream, state);
    return state;
  }
}
