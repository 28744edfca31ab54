import fc from 'fast-check';
import { expect, test } from 'vitest';
import { err, ok } from '@/lib/std/result';
import {
  NEW_TRACK,
  type StreamFold,
  type StreamTrack,
  takeEvents,
  takePosition,
  takeReset,
  takeSnapshotPart,
} from './stream-track';

/** A stream whose state is the list of its numbers: any loss or repetition shows. */
const numbers: StreamFold<readonly number[], number> = {
  read: (text) => (text.startsWith('[') ? ok(JSON.parse(text)) : err('no list')),
  fold(value, events) {
    if (events.includes(-1)) throw new Error('a bug in the fold');
    return [...value, ...events];
  },
};

type Track = StreamTrack<readonly number[]>;

function at(number: number, epoch = 'e1'): Track {
  const value = Array.from({ length: number }, (_, index) => index + 1);
  return { ...NEW_TRACK, copy: { phase: 'ready', value }, cursor: { epoch, number } };
}

const from = (first: number, last: number, epoch = 'e1') => ({
  epoch,
  number: first,
  events: Array.from({ length: last - first + 1 }, (_, index) => first + index),
});

test('the next events are folded and move the cursor to the last of them', () => {
  const { track, askAgain } = takeEvents(at(3), from(4, 6), numbers);
  expect(track.copy).toEqual({ phase: 'ready', value: [1, 2, 3, 4, 5, 6] });
  expect(track.cursor).toEqual({ epoch: 'e1', number: 6 });
  expect(askAgain).toBe(false);
});

test('events that were applied already change nothing', () => {
  const before = at(6);
  expect(takeEvents(before, from(2, 5), numbers)).toEqual({ track: before, askAgain: false });
});

test('of events that overlap only the new ones are folded', () => {
  const { track } = takeEvents(at(3), from(2, 5), numbers);
  expect(track.copy).toEqual({ phase: 'ready', value: [1, 2, 3, 4, 5] });
});

test('a hole asks for the stream again, once, and the old value stays on the screen', () => {
  const first = takeEvents(at(3), from(5, 6), numbers);
  expect(first.askAgain).toBe(true);
  expect(first.track.copy).toEqual(at(3).copy);
  const second = takeEvents(first.track, from(7, 7), numbers);
  expect(second.askAgain).toBe(false);
  const third = takeEvents(second.track, from(4, 7), numbers);
  expect(third.track.copy).toEqual({ phase: 'ready', value: [1, 2, 3, 4, 5, 6, 7] });
});

test('events of another epoch are never folded', () => {
  const { track, askAgain } = takeEvents(at(3), from(4, 4, 'e2'), numbers);
  expect(askAgain).toBe(true);
  expect(track.copy).toEqual(at(3).copy);
});

test('a snapshot in parts is seen only as a whole', () => {
  const text = '[1,2,3]';
  const part = (number: number) => ({
    epoch: 'e1',
    number: 3,
    part: number,
    parts: 3,
    text: text.slice((number - 1) * 3, number * 3),
  });
  let track: Track = NEW_TRACK;
  track = takeSnapshotPart(track, part(1), numbers).track;
  track = takeSnapshotPart(track, part(2), numbers).track;
  expect(track.copy).toEqual({ phase: 'loading' });
  track = takeSnapshotPart(track, part(3), numbers).track;
  expect(track.copy).toEqual({ phase: 'ready', value: [1, 2, 3] });
  expect(track.cursor).toEqual({ epoch: 'e1', number: 3 });
});

test('a snapshot with a part missing is thrown away and asked for again', () => {
  const part = (number: number) => ({ epoch: 'e1', number: 3, part: number, parts: 3, text: '[' });
  const { track } = takeSnapshotPart(at(1), part(1), numbers);
  const { track: after, askAgain } = takeSnapshotPart(track, part(3), numbers);
  expect(askAgain).toBe(true);
  expect(after.copy).toEqual(at(1).copy);
  expect(after.cursor).toBeNull();
});

test('a snapshot that cannot be read is told as broken', () => {
  const frame = { epoch: 'e1', number: 3, part: 1, parts: 1, text: 'nothing' };
  expect(takeSnapshotPart(NEW_TRACK, frame, numbers).track.copy).toEqual({ phase: 'broken', reason: 'no list' });
});

test('a fold that fails breaks its own stream and says why', () => {
  const { track } = takeEvents(at(1), { epoch: 'e1', number: 2, events: [-1] }, numbers);
  expect(track.copy).toEqual({ phase: 'broken', reason: 'a bug in the fold' });
});

test('a bookmark elsewhere than the copy asks again, also when an earlier question was lost', () => {
  const first = takePosition(at(3), { epoch: 'e1', number: 5 });
  expect(first.askAgain).toBe(true);
  expect(takePosition(first.track, { epoch: 'e1', number: 5 }).askAgain).toBe(true);
  expect(takePosition(at(3), { epoch: 'e1', number: 3 }).askAgain).toBe(false);
});

test('a reset keeps the value until the snapshot comes, and folds nothing in between', () => {
  const track = takeReset(at(3));
  expect(track.copy).toEqual(at(3).copy);
  expect(takeEvents(track, from(4, 4), numbers).track).toBe(track);
});

test('whatever is repeated, cut or lost on the way, the copy is a prefix of the stream and ends equal after a replay', () => {
  const chunk = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 8 }));
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 20 }), (chunks) => {
      let track: Track = at(0);
      for (const [first, more] of chunks) {
        track = takeEvents(track, from(first, Math.min(30, first + more)), numbers).track;
        const value = track.copy.phase === 'ready' ? track.copy.value : [];
        expect(value).toEqual(Array.from({ length: value.length }, (_, index) => index + 1));
      }
      const next = (track.cursor?.number ?? 0) + 1;
      if (next <= 30) track = takeEvents(track, from(next, 30), numbers).track;
      expect(track.copy).toEqual(at(30).copy);
    }),
  );
});
