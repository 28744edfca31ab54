import { expect, test } from '@playwright/test';
import { chainOf } from './constellations';
import { startFleet, type TestFleet } from './fleet';
import { expectState, nodeOf } from './graph';
import { signIn } from './page';
import { type Stack, startStack } from './stack';

let stack: Stack;
let fleet: TestFleet;

test.beforeAll(async () => {
  stack = await startStack();
  fleet = await startFleet(stack, ['linux-1']);
});

test.afterAll(async () => {
  await fleet.stop();
  await stack.stop();
});

test('a run goes on while its tab is closed, and is complete when the tab is opened again', async ({
  page,
  context,
}) => {
  await signIn(page, stack);
  const runId = await stack.api.createRun(
    chainOf('chain', { length: 4, device: 'linux-1', seconds: 1 }),
    '?launch=true',
  );
  await page.goto(`${stack.origin}/runs/${runId}`);
  await expectState(page, 'step-2', 'running');

  await page.close();
  const ended = await stack.api.untilRunEnded(runId);
  const again = await context.newPage();
  await again.goto(`${stack.origin}/runs/${runId}`);

  expect(ended.state).toBe('completed');
  for (const step of ['step-1', 'step-2', 'step-3', 'step-4']) await expectState(again, step, 'completed');
});

test('a reload in the middle of a run shows the same view again', async ({ page }) => {
  await signIn(page, stack);
  const runId = await stack.api.createRun(
    chainOf('reload', { length: 2, device: 'linux-1', seconds: 8 }),
    '?launch=true',
  );
  await page.goto(`${stack.origin}/runs/${runId}`);
  await expectState(page, 'step-1', 'running');
  const before = await nodeOf(page, 'step-1').boundingBox();

  await page.reload();

  // Ten times the second that it should take.
  await expect(nodeOf(page, 'step-1')).toHaveAttribute('data-state', 'running', { timeout: 10_000 });
  await expect.poll(() => nodeOf(page, 'step-1').boundingBox()).toEqual(before);
  await expect(nodeOf(page, 'step-2')).toHaveAttribute('data-state', 'waiting');
  await stack.api.request('POST', `/v1/runs/${runId}/cancel`);
  await stack.api.untilRunEnded(runId);
});
