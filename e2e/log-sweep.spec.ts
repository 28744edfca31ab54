import { expect, test } from '@playwright/test';
import { exampleWith, LOG_SWEEP_REQUESTS } from './constellations';
import { startFleet, type TestFleet } from './fleet';
import { expectState, filmGraph, nodeOf } from './graph';
import { signIn, watchPage } from './page';
import { type Stack, startStack } from './stack';

let stack: Stack;
let fleet: TestFleet;

test.beforeAll(async () => {
  stack = await startStack();
  fleet = await startFleet(stack, ['linux-1', 'linux-2', 'linux-3']);
});

test.afterAll(async () => {
  await fleet.stop();
  await stack.stop();
});

const PLACES = {
  'sweep-1': 'linux-1',
  'sweep-2': 'linux-2',
  'sweep-3': 'linux-3',
  workbook: 'linux-1',
  mail: 'linux-2',
} as const;

test('the log sweep is imported, placed, launched and watched to its end without a reload', async ({ page }) => {
  await signIn(page, stack);
  const watch = watchPage(page, stack.origin);
  const example = exampleWith('log_sweep_three_hosts.json', LOG_SWEEP_REQUESTS);

  await page
    .getByRole('link', { name: 'New run' })
    .or(page.getByRole('button', { name: 'New run' }))
    .first()
    .click();
  await page.getByRole('textbox', { name: 'Constellation JSON' }).fill(JSON.stringify(example));
  await expect(page.getByRole('list', { name: 'Warnings' })).toContainText('linux-web-a');
  await page.getByRole('button', { name: 'Create draft' }).click();
  await page.waitForURL(/\/runs\/(?!new)[^/]+$/);
  const runId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await expect(page.locator('[data-task-id]').first()).toBeVisible();

  for (const [taskId, device] of Object.entries(PLACES)) {
    await nodeOf(page, taskId).click();
    await page.getByRole('combobox', { name: 'Device' }).selectOption(device);
    await expect(nodeOf(page, taskId)).toContainText(device);
  }
  const film = await filmGraph(page);
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  for (const taskId of Object.keys(PLACES)) await expectState(page, taskId, 'completed');
  const seen = await film();

  for (const taskId of Object.keys(PLACES)) {
    expect(seen.places[taskId], `${taskId} kept its place`).toHaveLength(1);
    expect(seen.states[taskId]).toEqual(expect.arrayContaining(['running', 'completed']));
  }
  const truth = await stack.api.run(runId);
  expect(truth.state).toBe('completed');
  for (const task of Object.values(truth.tasks)) {
    await expect(nodeOf(page, task.task_id)).toHaveAttribute('data-state', task.display_state);
  }
  await nodeOf(page, 'sweep-2').click();
  await expect(page.getByText('08:02 FATAL out of memory').first()).toBeVisible();
  expect(watch.complaints).toEqual([]);
  expect(watch.foreignRequests).toEqual([]);
});
