import { describe } from 'vitest';
import { describeEngine } from './engine.contract';
import { createMemoryEngine } from './memory-engine';
import { seededRandom } from './testing/seeded-random';

describe('memory engine', () => {
  describeEngine({
    make() {
      let nowMs = 0;
      const engine = createMemoryEngine({ clock: { now: () => nowMs }, random: seededRandom() });
      return {
        engine,
        setNow(next) {
          nowMs = next;
        },
      };
    },
    makeSmall: () => createMemoryEngine({ clock: { now: () => 0 }, random: seededRandom(), eventsMax: 200 }),
  });
});
