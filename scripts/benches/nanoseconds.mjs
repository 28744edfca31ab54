const ROUND_MS = 5;
const ROUNDS = 120;

/** @param {() => unknown} work @param {number} times @returns {number} milliseconds for each time */
function timeOf(work, times) {
  const startMs = performance.now();
  for (let index = 0; index < times; index += 1) work();
  return (performance.now() - startMs) / times;
}

/**
 * Measures two ways to do the same in turns, so that what else the machine does strikes both alike.
 *
 * @param {() => unknown} work
 * @param {() => unknown} baseline
 * @returns {{ value: number, baseline: number }} nanoseconds of one time, each in its best round
 */
export function nanosecondsOf(work, baseline) {
  const ways = [work, baseline].map((way) => {
    const warmUpMs = timeOf(way, 10);
    return { way, times: Math.max(1, Math.ceil(ROUND_MS / warmUpMs)), bestMs: Number.POSITIVE_INFINITY };
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    // The order changes, or the rubbish of one way would always be cleared away in the time of the other.
    const turns = round % 3 === 0 ? ways.toReversed() : ways;
    for (const turn of turns) turn.bestMs = Math.min(turn.bestMs, timeOf(turn.way, turn.times));
  }
  const [value = 0, base = 0] = ways.map(({ bestMs }) => bestMs * 1e6);
  return { value, baseline: base };
}
