import { expect, test } from 'vitest';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { createSessionLog, LOG_FRAME_BYTES_MAX, type LogOutlet } from './device-log';

function aLog() {
  const clock = createFakeClock();
  const frames: { readonly atMs: number; readonly lines: readonly string[] }[] = [];
  const startMs = clock.now();
  let outlet: LogOutlet | undefined = async (lines) => {
    frames.push({ atMs: clock.now() - startMs, lines });
  };
  const log = createSessionLog({ clock, outlet: () => outlet });
  return {
    clock,
    frames,
    log,
    setOutlet(next: LogOutlet | undefined) {
      outlet = next;
    },
    outlet,
    lines: () => frames.flatMap(({ lines }) => lines),
  };
}

test('the first line goes out at once, and lines of one go travel together', async () => {
  const { log, frames } = aLog();
  log.add('one');
  log.add('two\r\nthree\n');
  await settle();

  expect(frames).toEqual([{ atMs: 0, lines: ['one', 'two', 'three', ''] }]);
});

test('a stream of lines is merged into 20 frames a second, complete and in order', async () => {
  const { log, frames, clock, lines } = aLog();
  const said: string[] = [];
  for (let index = 0; index < 2_000; index += 1) {
    said.push(`line ${index}`);
    log.add(`line ${index}`);
    await clock.advance(1);
  }
  await clock.advance(1_000);

  expect(lines()).toEqual(said);
  for (const { atMs } of frames) {
    const withinSecond = frames.filter((frame) => frame.atMs >= atMs && frame.atMs < atMs + 1_000);
    expect(withinSecond.length).toBeLessThanOrEqual(20);
  }
});

test('what floods is cut at 64 KiB a frame: the newest lines are kept, and the number of the others is told', async () => {
  const { log, frames, clock } = aLog();
  log.add('first');
  await settle();
  for (let index = 0; index < 10_000; index += 1) log.add(`${index} ${'é'.repeat(50)}`);
  await clock.advance(50);

  const [, flood] = frames;
  expect(Buffer.byteLength(JSON.stringify(flood?.lines))).toBeLessThanOrEqual(LOG_FRAME_BYTES_MAX);
  expect(flood?.lines.at(-1)).toMatch(/^9999 /);
  const [, leftOut] = /^\[(\d+) lines left out\]$/.exec(flood?.lines[0] ?? '') ?? [];
  expect(Number(leftOut) + (flood?.lines.length ?? 0) - 1).toBe(10_000);
});

test('one line that is longer than a frame goes in pieces, none of which ends in half a character', async () => {
  const { log, lines, clock } = aLog();
  const long = `x${'😀'.repeat(6_000)}`;
  log.add(long);
  await clock.advance(1_000);

  expect(lines().join('')).toBe(long);
  expect(lines().every((line) => line.isWellFormed())).toBe(true);
});

test('a line of escapes alone still fits into a frame', async () => {
  const { log, frames, clock } = aLog();
  log.add('\u0000'.repeat(8_192));
  await clock.advance(1_000);

  expect(Buffer.byteLength(JSON.stringify(frames[0]?.lines))).toBeLessThanOrEqual(LOG_FRAME_BYTES_MAX);
  expect(frames[0]?.lines).toEqual(['\u0000'.repeat(8_192)]);
});

test('a flush does not wait for the even pace, but keeps to 20 frames in any second', async () => {
  const { log, frames, clock } = aLog();
  for (let index = 0; index < 20; index += 1) {
    log.add(String(index));
    await log.flush();
  }
  expect(frames).toHaveLength(20);
  let isFlushed = false;
  log.add('more');
  const flushed = log.flush().then(() => {
    isFlushed = true;
  });
  await clock.advance(999);
  expect(isFlushed).toBe(false);
  await clock.advance(1);
  await flushed;

  expect(frames.at(-1)).toEqual({ atMs: 1_000, lines: ['more'] });
});

test('a flush waits for the frame that is on its way', async () => {
  const { log, setOutlet } = aLog();
  let take: () => void = () => {};
  setOutlet(
    () =>
      new Promise<void>((resolve) => {
        take = resolve;
      }),
  );
  log.add('slow');
  await settle();
  let isFlushed = false;
  const flushed = log.flush().then(() => {
    isFlushed = true;
  });
  await settle();
  expect(isFlushed).toBe(false);
  take();
  await flushed;
});

test('without a connection lines wait, a flush does not, and the next connection gets them', async () => {
  const { log, setOutlet, outlet, lines } = aLog();
  setOutlet(undefined);
  log.add('while away');
  await log.flush();
  expect(lines()).toEqual([]);

  setOutlet(outlet);
  log.wake();
  await settle();
  expect(lines()).toEqual(['while away']);
});

test('a frame that was not taken ends no log', async () => {
  const { log, setOutlet, outlet, lines, clock } = aLog();
  setOutlet(() => Promise.reject(new Error('cut')));
  log.add('lost');
  await settle();
  setOutlet(outlet);
  log.add('next');
  await clock.advance(1_000);

  expect(lines()).toEqual(['next']);
});

test('what waits when the log is stopped is dropped', async () => {
  const { log, lines, clock } = aLog();
  log.add('a');
  await settle();
  log.add('b');
  log.stop();
  await clock.advance(1_000);

  expect(lines()).toEqual(['a']);
});
