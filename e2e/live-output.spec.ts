import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { constellationOf } from './constellations';
import { startFleet, type TestFleet } from './fleet';
import { expectState, nodeOf } from './graph';
import { signIn, watchPage } from './page';
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

const file = (name: string) => join(fleet.device('linux-1').root, name);
const outputOf = (page: Page) => page.getByRole('log', { name: 'Output of the task' });
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join('');

/** How often a link to the device has begun or ended so far, by the relay's log. */
function connections(): number {
  const log = readFileSync(join(stack.dataDir, 'logs', 'relay.log'), 'utf8');
  return log
    .split('\n')
    .filter((line) => line.includes('"device-status"') && /"(connected|disconnected|failed)"/.test(line)).length;
}

/** A run whose first task prints what is written into a file, and would do so for ever. */
async function openFollowing(page: Page, name: string): Promise<string> {
  writeFileSync(file(name), 'the first line\n');
  const runId = await stack.api.createRun(
    constellationOf(name, [
      { id: 'follow', device: 'linux-1', request: `$ tail -n 1000 -f ${name}` },
      { id: 'next', device: 'linux-1', request: '$ echo next' },
    ]),
    '?launch=true',
  );
  await page.goto(`${stack.origin}/runs/${runId}`);
  await nodeOf(page, 'follow').click();
  return runId;
}

async function cancelTask(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Cancel task' }).click();
  await expectState(page, 'follow', 'cancelled');
}

test('a line is on the screen while its command still runs, and a cancel ends the command and not the link', async ({
  page,
}) => {
  await signIn(page, stack);
  const watch = watchPage(page, stack.origin);
  const connectionsBefore = connections();
  const runId = await openFollowing(page, 'cancelled');

  await expect(outputOf(page)).toContainText('the first line');
  await expectState(page, 'follow', 'running');
  appendFileSync(file('cancelled'), 'the second line\n');
  await expect(outputOf(page)).toContainText('the second line');
  await expectState(page, 'follow', 'running');

  await cancelTask(page);

  await expectState(page, 'next', 'completed');
  await expect(outputOf(page)).toContainText('the second line');
  const ended = await stack.api.untilRunEnded(runId);
  expect([ended.tasks.follow?.display_state, ended.tasks.next?.display_state]).toEqual(['cancelled', 'completed']);
  expect(connections()).toBe(connectionsBefore);

  await nodeOf(page, 'next').click();
  await expect(outputOf(page)).toHaveText('next');
  await expect(page.getByRole('button', { name: 'Retry', exact: true })).toHaveCount(0);
  expect(watch.complaints).toEqual([]);
});

test('the panel follows the end, stays where somebody reads, and goes back to the end when asked', async ({ page }) => {
  await signIn(page, stack);
  await openFollowing(page, 'scrolled');
  const output = outputOf(page);
  const toEnd = page.getByRole('button', { name: 'Jump to latest' });
  appendFileSync(file('scrolled'), lines(0, 500));
  await expect(output).toContainText('line 499');
  await expect(toEnd).toBeHidden();
  const isAtEnd = () => output.evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight < 2);
  expect(await isAtEnd()).toBe(true);

  await output.focus();
  await page.keyboard.press('Home');
  await expect(toEnd).toBeVisible();
  const top = () => output.evaluate((area) => area.scrollTop);
  await expect.poll(top).toBe(0);
  appendFileSync(file('scrolled'), lines(500, 600));
  await expect(output).toContainText('line 599');
  expect(await top()).toBe(0);

  await toEnd.click();
  await expect.poll(isAtEnd).toBe(true);
  await expect(toEnd).toBeHidden();
  await cancelTask(page);
});

test('of a flood the newest lines stay, and the panel says how many are left out', async ({ page }) => {
  await signIn(page, stack);
  await openFollowing(page, 'flooded');
  appendFileSync(file('flooded'), lines(0, 30_000));
  await expect(outputOf(page)).toContainText('line 29999');
  await expect(page.getByText(/^[\d,]+ earlier lines are left out\.$/)).toBeVisible();
  await expect(outputOf(page)).not.toContainText('the first line');
  await cancelTask(page);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ colorScheme });

    test('the panel has no accessibility fault that a machine can find, and is not read aloud by itself', async ({
      page,
    }) => {
      await signIn(page, stack);
      await openFollowing(page, `seen-${colorScheme}`);
      appendFileSync(file(`seen-${colorScheme}`), lines(0, 100));
      await expect(outputOf(page)).toContainText('line 99');
      await outputOf(page).focus();
      await page.keyboard.press('Home');
      await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible();
      await expect(outputOf(page)).toHaveAttribute('aria-live', 'off');

      const { violations } = await new AxeBuilder({ page }).include('aside').analyze();

      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`),
      ).toEqual([]);
      await cancelTask(page);
    });
  });
}
