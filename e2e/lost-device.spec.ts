import { expect, test } from '@playwright/test';
import { constellationOf } from './constellations';
import { startFleet, type TestFleet } from './fleet';
import { expectState, nodeOf } from './graph';
import { signIn } from './page';
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

test('a killed device fails its task, the rest goes on, and a retry completes the run when it is back', async ({
  page,
}) => {
  test.setTimeout(180_000);
  await signIn(page, stack);
  const runId = await stack.api.createRun(
    constellationOf('lost', [
      { id: 'victim', device: 'linux-1', request: '$ sleep 5\n$ echo survived' },
      { id: 'behind', device: 'linux-2', request: '$ echo behind', after: ['victim'] },
      { id: 'apart', device: 'linux-2', request: '$ sleep 3' },
      { id: 'apart-too', device: 'linux-2', request: '$ echo apart', after: ['apart'] },
    ]),
    '?launch=true',
  );
  await page.goto(`${stack.origin}/runs/${runId}`);
  await expectState(page, 'victim', 'running');

  await fleet.device('linux-1').kill();

  await expect(nodeOf(page, 'victim')).toHaveAttribute('data-state', /^(failed|unknown)$/, { timeout: 60_000 });
  await expectState(page, 'behind', 'skipped');
  await expectState(page, 'apart-too', 'completed');
  const ended = await stack.api.untilRunEnded(runId);
  expect(ended.state).toBe('partially_failed');
  expect(ended.tasks.victim?.error).toBeTruthy();
  await nodeOf(page, 'victim').click();
  await expect(page.getByText(ended.tasks.victim?.error ?? '').first()).toBeVisible();
  await stack.api.untilDevice('linux-1', 'disconnected', 60_000);

  fleet.startAgain('linux-1');
  await stack.api.untilDevice('linux-1', 'idle', 60_000);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();

  await expectState(page, 'victim', 'completed');
  await expectState(page, 'behind', 'completed');
  expect((await stack.api.untilRunEnded(runId)).state).toBe('completed');
});
