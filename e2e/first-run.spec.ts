import { expect, test } from '@playwright/test';
import { isAlive } from './child-program';
import { signIn, watchPage } from './page';
import { type Stack, startStack } from './stack';

let stack: Stack;

test.beforeAll(async () => {
  stack = await startStack({ localDevice: 'on' });
});

test.afterAll(() => stack.stop());

test('a start leads by its one link to a page that lists the local device as idle', async ({ page }) => {
  const watch = watchPage(page, stack.origin);
  expect(stack.screen.stdout.match(/#code=/g)).toHaveLength(1);

  await signIn(page, stack);
  await page.getByRole('link', { name: 'Devices', exact: true }).click();

  const row = page.getByRole('row', { name: /\blocal\b/ });
  await expect(row).toBeVisible();
  await expect(row).toContainText(/idle/i);
  await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Live');
  expect(watch.complaints).toEqual([]);
  expect(watch.foreignRequests).toEqual([]);
});

test('every page opens without a complaint, and nothing comes from outside', async ({ page }) => {
  await signIn(page, stack);
  const watch = watchPage(page, stack.origin);

  for (const path of ['/', '/runs/new', '/devices', '/devices/local']) {
    await page.goto(stack.origin + path);
    await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Live');
  }

  expect(watch.complaints).toEqual([]);
  expect(watch.foreignRequests).toEqual([]);
});

test('a sign-in link works once', async ({ page, browser }) => {
  await signIn(page, stack);
  const stranger = await browser.newPage();

  await stranger.goto(stack.signInUrl);

  await expect(stranger.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(stranger.getByText('This link did not work')).toBeVisible();
  await stranger.close();
});

test('without a session every page leads to the sign-in page', async ({ page }) => {
  await page.goto(`${stack.origin}/devices`);

  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('a second start with the same data is refused in one sentence and harms nothing', async () => {
  const second = startStack({ dataDir: stack.dataDir });

  await expect(second).rejects.toThrow(/ended with 1: [^\n]+\n?$/);
  await stack.api.untilDevice('local', 'idle');
});

test('the page server may crash: the devices stay connected and the page comes back', async ({ page }) => {
  await signIn(page, stack);
  const since = (await stack.api.device('local')).status_since;

  process.kill(stack.pidOf('the page server'), 'SIGKILL');

  await expect(async () => {
    expect((await page.goto(`${stack.origin}/devices`))?.ok()).toBe(true);
  }).toPass({ timeout: 20_000 });
  expect((await stack.api.device('local')).status_since).toBe(since);
});

test('SIGTERM leaves no process and no port, and counts as success', async () => {
  const own = await startStack({ localDevice: 'on' });
  const relay = own.pidOf('the relay');

  expect(await own.stop()).toBe(0);

  expect(own.leftovers()).toEqual([]);
  expect(isAlive(relay)).toBe(false);
  await expect(fetch(`${own.origin}/healthz`)).rejects.toThrow();
});

test('kill -9 of the start leaves no process either', async () => {
  const own = await startStack({ localDevice: 'on' });

  await own.killStart();

  await expect.poll(() => own.leftovers(), { timeout: 20_000 }).toEqual([]);
  await own.stop();
});
