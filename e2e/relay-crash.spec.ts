import { expect, test } from '@playwright/test';
import { constellationOf } from './constellations';
import { startFleet, type TestFleet } from './fleet';
import { type Stack, startStack } from './stack';

let stack: Stack;
let fleet: TestFleet;

test.beforeAll(async () => {
  stack = await startStack();
  fleet = await startFleet(stack, ['linux-1', 'linux-2']);
});

test.afterAll(async () => {
  await fleet.stop();
  await stack.stop();
});

test('kill -9 of the relay in the middle of a run loses nothing and sends nothing twice', async () => {
  const append = (name: string) => `write_file path=${name}.txt content=ran`;
  const id = await stack.api.createRun(
    constellationOf('crash', [
      { id: 'done', device: 'linux-1', request: append('done') },
      { id: 'in-flight', device: 'linux-1', request: '$ sleep 30', after: ['done'] },
      { id: 'behind', device: 'linux-2', request: append('behind'), after: ['in-flight'] },
      { id: 'apart', device: 'linux-2', request: '$ sleep 4' },
      { id: 'queued', device: 'linux-2', request: append('queued') },
    ]),
    '?launch=true',
  );
  await stack.api.untilTask(id, 'in-flight', 'running');
  const before = await stack.api.run(id);

  await stack.killRelay();

  const ended = await stack.api.untilRunEnded(id);
  expect(ended.tasks.done).toMatchObject({ status: 'completed', result: before.tasks.done?.result });
  expect(ended.tasks.done?.attempts).toEqual(before.tasks.done?.attempts);
  expect(ended.tasks['in-flight']).toMatchObject({ status: 'failed', display_state: 'unknown' });
  expect(ended.tasks['in-flight']?.error).toContain('outcome unknown');
  expect(ended.tasks['in-flight']?.attempts).toMatchObject([{ phase: 'lost' }]);
  expect(ended.tasks.behind).toMatchObject({ status: 'cancelled', display_state: 'skipped' });
  // It had never been sent, so it is sent now, and once.
  expect(ended.tasks.queued).toMatchObject({ status: 'completed' });
  expect(ended.tasks.queued?.attempts).toHaveLength(1);
  expect(ended.state).toBe('partially_failed');
});

test('after the crash a retry completes the run, the skipped task included', async () => {
  const id = await stack.api.createRun(
    constellationOf('retry', [
      { id: 'first', device: 'linux-1', request: '$ sleep 3' },
      { id: 'second', device: 'linux-2', request: '$ echo done', after: ['first'] },
    ]),
    '?launch=true',
  );
  await stack.api.untilTask(id, 'first', 'running');
  await stack.killRelay();
  await stack.api.untilRunEnded(id);

  const answer = await stack.api.request('POST', `/v1/runs/${id}/tasks/first/retry`);
  expect(answer.status).toBeLessThan(300);

  await stack.api.untilTask(id, 'second', 'completed');
  const ended = await stack.api.untilRunEnded(id);
  expect(ended.state).toBe('completed');
  expect(ended.tasks.first?.attempts.map((attempt) => attempt.phase)).toEqual(['lost', 'ended']);
});
