import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { chainOf, constellationOf } from './constellations';
import { startFleet, type TestFleet } from './fleet';
import { nodeOf } from './graph';
import { signIn } from './page';
import { type Stack, startStack } from './stack';

let stack: Stack;
let fleet: TestFleet;
let endedRun: string;
let draftRun: string;

test.beforeAll(async () => {
  stack = await startStack();
  fleet = await startFleet(stack, ['linux-1']);
  endedRun = await stack.api.createRun(
    constellationOf('mixed', [
      { id: 'good', device: 'linux-1', request: '$ echo hello' },
      { id: 'bad', device: 'linux-1', request: '$ cat no-such-file' },
      { id: 'skipped', device: 'linux-1', request: '$ echo never', after: ['bad'] },
    ]),
    '?launch=true',
  );
  draftRun = await stack.api.createRun(chainOf('draft', { length: 3, device: 'linux-1', seconds: 1 }));
  await stack.api.untilRunEnded(endedRun);
});

test.afterAll(async () => {
  await fleet.stop();
  await stack.stop();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ colorScheme });

    const pages = [
      { name: 'the list of runs', path: () => '/' },
      { name: 'a new run', path: () => '/runs/new' },
      { name: 'a draft', path: () => `/runs/${draftRun}` },
      { name: 'a run that partly failed', path: () => `/runs/${endedRun}`, task: 'bad' },
      { name: 'the list of devices', path: () => '/devices' },
      { name: 'a device', path: () => '/devices/linux-1' },
    ];
    for (const { name, path, task } of pages) {
      test(`${name} has no accessibility fault that a machine can find`, async ({ page }) => {
        await signIn(page, stack);
        await page.goto(stack.origin + path());
        await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Live');
        if (task !== undefined) await nodeOf(page, task).click();

        const { violations } = await new AxeBuilder({ page }).analyze();

        expect(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`),
        ).toEqual([]);
      });
    }
  });
}

test('a person with a keyboard alone reaches a task and its details, and leaves them again', async ({ page }) => {
  await signIn(page, stack);
  await page.goto(`${stack.origin}/runs/${draftRun}`);
  await nodeOf(page, 'step-2').focus();

  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Device' })).toBeVisible();
  await page.keyboard.press('Escape');

  await expect(page.getByRole('combobox', { name: 'Device' })).toBeHidden();
});
