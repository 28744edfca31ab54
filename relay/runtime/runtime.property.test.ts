import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { aPlan } from '@/lib/constellation/testing/a-plan';
import { isRunEvent } from '@/lib/relay-protocol/event-kinds';
import { runStream } from '@/lib/relay-protocol/streams';
import type { RunReport } from '@/lib/run/commands';
import { evolveRunAll } from '@/lib/run/evolve';
import { toRunSnapshot } from '@/lib/run/run-snapshot';
import { createMemoryEngine } from '@/relay/engine/memory-engine';
import { seededRandom } from '@/relay/engine/testing/seeded-random';
import { type ARuntime, aRuntime, RUN_1, taskId } from './testing/a-runtime';

const PLAN = aPlan(
  ['a', 'b', 'c', 'd'],
  [
    ['a', 'b', 'success_only'],
    ['a', 'c', 'completion_only'],
    ['b', 'd'],
  ],
);

const step = fc.record({
  kind: fc.constantFrom('sending', 'accepted', 'completed', 'failed', 'lost', 'cancel', 'retry', 'run-cancel', 'wait'),
  task: fc.constantFrom('a', 'b', 'c', 'd'),
  attempt: fc.integer({ min: 1, max: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function act({ send, links }: ARuntime, { kind, task, attempt }: Step): Promise<unknown> {
  const place = { runId: RUN_1, taskId: taskId(task), attempt };
  switch (kind) {
    case 'wait':
      return new Promise((resolve) => setImmediate(resolve));
    case 'cancel':
      return send({ type: 'task-cancel', runId: RUN_1, taskId: place.taskId });
    case 'retry':
      return send({ type: 'task-retry', runId: RUN_1, taskId: place.taskId });
    case 'run-cancel':
      return send({ type: 'run-cancel', runId: RUN_1 });
    case 'sending':
    case 'accepted':
      return links.host.report({ type: `attempt-${kind}`, ...place });
    case 'lost':
      return links.host.report({ type: 'attempt-lost', ...place, reason: 'cut' });
    default: {
      const error = kind === 'failed' ? 'no' : null;
      const report: RunReport = {
        type: 'attempt-ended',
        ...place,
        outcome: kind,
        result: { kind: 'none' },
        error,
        cause: null,
      };
      return links.host.report(report);
    }
  }
}

function journal({ runtime }: ARuntime) {
  return runtime.readAfter(runStream(RUN_1), 0, 100_000);
}

function folded(one: ARuntime): string {
  const events = journal(one).map(({ event }) => event);
  return JSON.stringify(toRunSnapshot(evolveRunAll(undefined, events.filter(isRunEvent))));
}

test('whatever is asked and reported, in whatever batches: the journal alone gives the same state, before and after a restart', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = createFakeClock();
      const engine = createMemoryEngine({ clock, random: seededRandom(5) });
      const one = aRuntime({ engine, clock });
      await one.addDevice('linux-1');
      await one.createRun(PLAN);
      await Promise.all(steps.map((next) => act(one, next)));

      expect(journal(one).map(({ number }) => number)).toEqual(journal(one).map((_, index) => index + 1));
      expect(one.runtime.snapshot(runStream(RUN_1)).text).toBe(folded(one));

      const again = aRuntime({ engine, clock });
      expect(again.runtime.snapshot(runStream(RUN_1)).text).toBe(folded(again));
      const phases = [...(again.runtime.run(RUN_1)?.tasks.values() ?? [])].map(
        (task) => task.attempts.at(-1)?.state.phase,
      );
      expect(phases.filter((phase) => phase === 'sending' || phase === 'accepted' || phase === 'cancelling')).toEqual(
        [],
      );
      const queued = phases.filter((phase) => phase === 'queued').length;
      expect(again.links.told.filter((told) => told.startsWith('enqueue'))).toHaveLength(queued);

      const third = aRuntime({ engine, clock });
      expect(journal(third)).toEqual(journal(again));
    }),
    { numRuns: 100 },
  );
});
