const WARM_UP_MS = 200;
const MEASURE_MS = 800;

/** @param {() => unknown} work @param {number} forMs @returns {number} times per second */
function rate(work, forMs) {
  const startMs = performance.now();
  let count = 0;
  while (performance.now() - startMs < forMs) {
    for (let index = 0; index < 20; index += 1) work();
    count += 20;
  }
  return (count * 1_000) / (performance.now() - startMs);
}

/**
 * @param {() => unknown} work - done often enough that the clock does not count
 * @returns {number} times per second, after the engine has warmed up
 */
export function perSecond(work) {
  rate(work, WARM_UP_MS);
  return rate(work, MEASURE_MS);
}
