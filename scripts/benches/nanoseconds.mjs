const ROUND_MS = 5;
const ROUNDS = 121;

/** @param {() => unknown} work @param {number} times @returns {number} milliseconds for each time */
function timeOf(work, times) {
  const startMs = performance.now();
  for (let index = 0; index < times; index += 1) work();
  return (performance.now() - startMs) / times;
}

/** @param {readonly number[]} values */
function medianOf(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Measures two ways to do the same in turns, so that what else the machine does strikes both alike.
 *
 * @param {() => unknown} work
 * @param {() => unknown} baseline
 * @returns {{ value: number, baseline: number }} nanoseconds of one time, each in the median of its rounds
 */
export function nanosecondsOf(work, baseline) {
  const ways = [work, baseline].map((way) => {
    timeOf(way, 20);
    const times = Math.max(1, Math.ceil(ROUND_MS / timeOf(way, 5)));
    return { way, times, roundsMs: /** @type {number[]} */ ([]) };
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    // The order changes, or the rubbish of one way would always be cleared away in the time of the other.
    const turns = round % 2 === 0 ? ways.toReversed() : ways;
    for (const { way, times, roundsMs } of turns) roundsMs.push(timeOf(way, times));
  }
  const [value = Number.NaN, base = Number.NaN] = ways.map(({ roundsMs }) => medianOf(roundsMs) * 1e6);
  return { value, baseline: base };
}
