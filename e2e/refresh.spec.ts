import { expect, test } from '@playwright/test';
import { startFleet, type TestFleet } from './fleet';
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

test('a refresh by hand brings what the device says now, with the age of the asking and of the telling', async ({
  page,
}) => {
  const before = await stack.api.device('linux-1');
  await signIn(page, stack);
  await page.goto(`${stack.origin}/devices/linux-1`);

  await page.getByRole('button', { name: 'Refresh information' }).click();

  await expect.poll(async () => (await stack.api.device('linux-1')).info_at).not.toBe(before.info_at);
  const after = await stack.api.device('linux-1');
  expect(after.info_origin).toBe('device');
  expect(Date.parse(after.info_at ?? '')).toBeGreaterThan(Date.parse(before.info_at ?? ''));
  expect(Date.parse(after.info_asked_at ?? '')).toBeGreaterThan(Date.parse(before.info_asked_at ?? ''));
  expect(JSON.stringify(after.info)).not.toBe(JSON.stringify(before.info));
});

test('a refresh through the API answers with what the device says', async () => {
  const before = await stack.api.device('linux-1');

  const answer = await stack.api.request('POST', '/v1/devices/linux-1/refresh');

  expect(answer.status).toBeLessThan(300);
  await expect.poll(async () => (await stack.api.device('linux-1')).info_asked_at).not.toBe(before.info_asked_at);
});

test('a device that is away says so, and is asked when it returns', async ({ page }) => {
  test.setTimeout(180_000);
  await signIn(page, stack);
  await page.goto(`${stack.origin}/devices/linux-1`);
  const before = await stack.api.device('linux-1');
  await fleet.device('linux-1').kill();
  await stack.api.untilDevice('linux-1', 'disconnected', 60_000);

  await page.getByRole('button', { name: 'Refresh when it returns' }).click();
  fleet.startAgain('linux-1');

  await expect
    .poll(async () => (await stack.api.device('linux-1')).info_asked_at, { timeout: 60_000 })
    .not.toBe(before.info_asked_at);
  await expect(page.getByRole('button', { name: 'Refresh information' })).toBeEnabled({ timeout: 60_000 });
});
