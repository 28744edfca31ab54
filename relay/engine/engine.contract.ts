import { expect, test } from 'vitest';
import type { StreamEvent } from '@/lib/relay-protocol/down';
import { FLEET_STREAM, RUNS_STREAM } from '@/lib/relay-protocol/streams';
import { deviceIdSchema } from '@/lib/std/ids';
import type { Batch, Engine } from './engine';
import { EngineError } from './engine-error';

export type EngineHarness = {
  readonly engine: Engine;
  /** Sets the clock that the engine was made with. */
  readonly setNow: (nowMs: number) => void;
  /** Closes and opens the same journal again; absent when nothing outlives the engine. */
  readonly reopen?: () => Engine;
};

export type EngineMaker = {
  readonly make: () => EngineHarness;
  /** An engine with room for a few hundred events of a kilobyte. */
  readonly makeSmall: () => Engine;
};

/** What every storage engine promises; run against each of them. */
export function describeEngine({ make, makeSmall }: EngineMaker): void {
  test('numbers of a stream are dense from 1 and streams do not share them', () => {
    const { engine } = make();

    const first = engine.append(batchOf([event(1), event(2)]));
    const second = engine.append({
      events: [{ stream: RUNS_STREAM, event: event(3) }, ...batchOf([event(4)]).events],
      kv: [],
    });

    expect(first.map((position) => position.number)).toEqual([1, 2]);
    expect(second.map(({ stream, number }) => [stream, number])).toEqual([
      ['runs', 1],
      ['fleet', 3],
    ]);
    expect(engine.head(FLEET_STREAM)).toEqual({ epoch: first[0]?.epoch, number: 3 });
  });

  test('events come back as they were given, after a number, oldest first, at most as many as asked for', () => {
    const { engine } = make();
    engine.append(batchOf([event(1), event(2), event(3), event(4)]));

    expect(engine.readAfter(FLEET_STREAM, 1, 2)).toEqual([
      { number: 2, event: event(2) },
      { number: 3, event: event(3) },
    ]);
    expect(engine.readAfter(FLEET_STREAM, 4, 10)).toEqual([]);
    expect(engine.readAfter(RUNS_STREAM, 0, 10)).toEqual([]);
  });

  test('a stream keeps its epoch from its first asking on, and shares it with no other', () => {
    const { engine } = make();
    const asked = engine.head(FLEET_STREAM);

    const [position] = engine.append(batchOf([event(1)]));

    expect(asked.number).toBe(0);
    expect(position?.epoch).toBe(asked.epoch);
    expect(engine.head(RUNS_STREAM).epoch).not.toBe(asked.epoch);
  });

  test('key-value changes are stored with the events of their batch', () => {
    const { engine } = make();

    engine.append({ ...batchOf([event(1)]), kv: [put('space', 'a', 'one'), put('space', 'b', 'two')] });
    engine.append({ events: [], kv: [{ op: 'delete', space: 'space', key: 'a' }, put('space', 'b', 'three')] });

    expect(engine.kv.get('space', 'a')).toBeUndefined();
    expect(engine.kv.get('other', 'b')).toBeUndefined();
    expect(engine.kv.get('space', 'b')).toBe('three');
  });

  test('an entry is absent from the moment it expires', () => {
    const { engine, setNow } = make();
    setNow(1_000);
    engine.kv.write([{ op: 'put', space: 'space', key: 'a', value: 'one', expiresAtMs: 2_000 }]);

    setNow(1_999);
    expect(engine.kv.get('space', 'a')).toBe('one');
    setNow(2_000);
    expect(engine.kv.get('space', 'a')).toBeUndefined();
    expect(engine.kv.take('space', 'a')).toBeUndefined();
  });

  test('of many takers exactly one gets the value', () => {
    const { engine } = make();
    engine.kv.write([put('tickets', 'a', 'one')]);

    const taken = Array.from({ length: 50 }, () => engine.kv.take('tickets', 'a'));

    expect(taken.filter((value) => value === 'one')).toHaveLength(1);
    expect(taken.filter((value) => value === undefined)).toHaveLength(49);
  });

  test('a blob comes back by a handle that cannot be guessed', () => {
    const { engine } = make();
    const bytes = new Uint8Array([0, 1, 2, 255]);

    const first = engine.blobs.put(bytes, 'application/json');
    const second = engine.blobs.put(bytes, 'application/json');

    expect(first.handle).toMatch(/^[0-9a-f]{32}$/);
    expect(second.handle).not.toBe(first.handle);
    expect(first.sizeBytes).toBe(4);
    expect([...(engine.blobs.get(first.handle)?.bytes ?? [])]).toEqual([0, 1, 2, 255]);
    expect(engine.blobs.get(first.handle)?.mediaType).toBe('application/json');
    expect(engine.blobs.get('0'.repeat(32))).toBeUndefined();
  });

  test('the newest snapshot of a stream is the one that counts', () => {
    const { engine } = make();
    engine.append(batchOf([event(1), event(2)]));

    expect(engine.loadSnapshot(FLEET_STREAM)).toBeUndefined();
    engine.saveSnapshot(FLEET_STREAM, 1, 'old');
    engine.saveSnapshot(FLEET_STREAM, 2, 'new');

    expect(engine.loadSnapshot(FLEET_STREAM)).toEqual({ number: 2, text: 'new' });
  });

  test('a full disk stores nothing of the batch, and the journal stays readable and whole', () => {
    const engine = makeSmall();
    const before = fill(engine);

    const overfull = Array.from({ length: 2_000 }, (_, index) => event(index, 'x'.repeat(1_000)));
    const failed = caught(() => engine.append({ ...batchOf(overfull), kv: [put('space', 'a', 'one')] }));

    expect(failed).toBeInstanceOf(EngineError);
    expect(failed).toMatchObject({ code: 'full' });
    expect(engine.kv.get('space', 'a')).toBeUndefined();
    expect(engine.head(FLEET_STREAM).number).toBe(before);
    expect(engine.readAfter(FLEET_STREAM, 0, 10_000)).toHaveLength(before);
    expect(engine.head(RUNS_STREAM).number).toBe(0);
  });

  test('closing twice does no harm, and a closed engine says so', () => {
    const { engine } = make();
    engine.close();
    engine.close();

    expect(caught(() => engine.append(batchOf([event(1)])))).toMatchObject({ code: 'closed' });
  });

  test('everything is there again, epochs included, when the journal is opened again', () => {
    const { engine, reopen } = make();
    if (reopen === undefined) return;
    engine.append({ ...batchOf([event(1), event(2)]), kv: [put('space', 'a', 'one')] });
    engine.saveSnapshot(FLEET_STREAM, 2, 'state');
    const { handle } = engine.blobs.put(new Uint8Array([7]), 'text/plain');
    const head = engine.head(FLEET_STREAM);

    const again = reopen();

    expect(again.head(FLEET_STREAM)).toEqual(head);
    expect(again.readAfter(FLEET_STREAM, 0, 10)).toHaveLength(2);
    expect(again.kv.get('space', 'a')).toBe('one');
    expect(again.loadSnapshot(FLEET_STREAM)).toEqual({ number: 2, text: 'state' });
    expect([...(again.blobs.get(handle)?.bytes ?? [])]).toEqual([7]);
    expect(again.append(batchOf([event(3)]))).toEqual([{ stream: 'fleet', epoch: head.epoch, number: 3 }]);
  });
}

function fill(engine: Engine): number {
  for (let index = 0; index < 20; index += 1) engine.append(batchOf([event(index, 'x'.repeat(1_000))]));
  return 20;
}

function event(atMs: number, reason = 'because'): StreamEvent {
  return { type: 'device-info-failed', atMs, deviceId: deviceIdSchema.parse('linux-1'), reason };
}

function batchOf(events: readonly StreamEvent[]): Batch {
  return { events: events.map((one) => ({ stream: FLEET_STREAM, event: one })), kv: [] };
}

function put(space: string, key: string, value: string) {
  return { op: 'put', space, key, value, expiresAtMs: null } as const;
}

function caught(step: () => unknown): unknown {
  try {
    step();
  } catch (cause) {
    return cause;
  }
  return undefined;
}
