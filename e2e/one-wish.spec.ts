import { expect, test } from '@playwright/test';
import { constellationOf } from './constellations';
import { expectState, nodeOf } from './graph';
import { signIn } from './page';
import { type Stack, startStack } from './stack';

let stack: Stack;

test.beforeAll(async () => {
  stack = await startStack({ localDevice: 'on' });
});

test.afterAll(async () => {
  await stack.stop();
});

test('a double click on Send task sends one task', async ({ page }) => {
  await signIn(page, stack);
  await page.goto(`${stack.origin}/devices/local`);
  await page.getByRole('textbox', { name: 'Task' }).fill('$ echo once');
  await page.getByRole('button', { name: 'Send task' }).dblclick();
  await expect(page.getByText('once', { exact: true }).first()).toBeVisible();
  // A list in a pattern matches only a list of the same length.
  expect((await stack.api.request('GET', '/v1/runs')).body).toMatchObject({ runs: [{ state: 'completed' }] });
});

test('a double click on Launch and on Retry makes one attempt each', async ({ page }) => {
  await signIn(page, stack);
  const runId = await stack.api.createRun(
    constellationOf('twice', [{ id: 'only', device: 'local', request: 'read_file path=missing.txt' }]),
  );
  await page.goto(`${stack.origin}/runs/${runId}`);
  await page.getByRole('button', { name: 'Launch', exact: true }).dblclick();
  await expectState(page, 'only', 'failed');
  await nodeOf(page, 'only').click();
  await page.getByRole('button', { name: 'Retry', exact: true }).dblclick();
  await expect
    .poll(async () => (await stack.api.untilRunEnded(runId)).tasks.only?.attempts.map((attempt) => attempt.number))
    .toEqual([1, 2]);
});

test('a dialog begins at its first field and gives the focus back', async ({ page }) => {
  await signIn(page, stack);
  await page.goto(`${stack.origin}/devices`);
  const opener = page.getByRole('button', { name: 'Add device' }).first();
  await opener.click();
  await expect(page.getByRole('dialog').getByRole('textbox').first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();
});
