import { expect, test } from '@playwright/test';
import { constellationOf } from './constellations';
import { startFleet, type TestFleet } from './fleet';
import { signIn } from './page';
import { type Stack, startStack } from './stack';

let stack: Stack;
let fleet: TestFleet;

test.beforeAll(async () => {
  stack = await startStack({ env: { ORRERY_MAX_REQUEST_BYTES: '1MiB' } });
  fleet = await startFleet(stack, ['linux-1']);
});

test.afterAll(async () => {
  await fleet.stop();
  await stack.stop();
});

const star = (id: string, after: string[] = []) => ({ id, device: 'linux-1', request: '$ echo hello', after });

/** Two tasks with the same id: only possible where tasks stand in a list. */
function withDuplicateId() {
  const { tasks, ...rest } = constellationOf('twice', [star('a')]);
  return { ...rest, tasks: [...Object.values(tasks), ...Object.values(tasks)] };
}

const BAD: readonly { name: string; text: string; places: readonly RegExp[] }[] = [
  {
    name: 'a cycle',
    text: JSON.stringify(constellationOf('cycle', [star('a', ['c']), star('b', ['a']), star('c', ['b'])])),
    places: [/cycle/i, /\ba\b.*\bb\b.*\bc\b|\bb\b.*\bc\b.*\ba\b|\bc\b.*\ba\b.*\bb\b/],
  },
  {
    name: 'a dangling line',
    text: JSON.stringify(constellationOf('dangling', [star('a', ['nobody'])])),
    places: [/dependencies\.nobody-a/, /nobody/],
  },
  { name: 'a duplicate id', text: JSON.stringify(withDuplicateId()), places: [/tasks/, /\ba\b/] },
  {
    name: 'valid JSON of another shape',
    text: JSON.stringify({ nodes: [{ type: 'n8n-nodes-base.start' }], connections: {} }),
    places: [/tasks/i],
  },
  { name: 'a file that is not JSON', text: '{\n  "tasks": {\n    oops\n', places: [/line 3/i] },
];

for (const { name, text, places } of BAD) {
  test(`${name} is named with its place by the API, and nothing is stored`, async () => {
    const runsBefore = await stack.api.request('GET', '/v1/runs');

    const answer = await stack.api.requestText('POST', '/v1/runs', text);

    expect([400, 422]).toContain(answer.status);
    for (const place of places) expect(JSON.stringify(answer.body)).toMatch(place);
    expect(await stack.api.request('GET', '/v1/runs')).toEqual(runsBefore);
  });

  test(`${name} is named with its place on the page, and nothing can be created from it`, async ({ page }) => {
    await signIn(page, stack);
    await page.goto(`${stack.origin}/runs/new`);

    await page.getByRole('textbox', { name: 'Constellation JSON' }).fill(text);

    const problems = page.getByRole('list', { name: 'Problems' });
    await expect(problems).toBeVisible();
    for (const place of places) await expect(problems).toContainText(place);
    await expect(page.getByRole('button', { name: /^Create/, disabled: false })).toHaveCount(0);
  });
}

test('a file above the limit that the relay is set to is refused with its size and that limit, and stays on the page', async ({
  page,
}) => {
  await signIn(page, stack);
  await page.goto(`${stack.origin}/runs/new`);
  const text = JSON.stringify({ ...constellationOf('large', [star('a')]), metadata: { filler: 'x'.repeat(2 ** 21) } });

  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'large.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await page.getByRole('button', { name: 'Create draft' }).click();

  await expect(page.getByText(/Not created: the text has 2\.0 MiB.*1048576 bytes/)).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Constellation JSON' })).toHaveValue(text);
});

test('an unknown device is a warning on import and an error on launch', async () => {
  const constellation = constellationOf('unknown device', [{ id: 'a', device: 'nowhere-1', request: '$ echo hello' }]);

  const draft = await stack.api.request('POST', '/v1/runs', constellation);
  expect(draft.status).toBe(201);
  expect(JSON.stringify((draft.body as { warnings: unknown }).warnings)).toMatch(
    /tasks\.a\.target_device_id.*nowhere-1/,
  );

  const launch = await stack.api.request('POST', `/v1/runs/${(draft.body as { id: string }).id}/launch`);
  expect([409, 422]).toContain(launch.status);
  expect(JSON.stringify(launch.body)).toContain('nowhere-1');
});

test('with launch=true an unknown device is an error, and nothing is stored', async () => {
  const runsBefore = await stack.api.request('GET', '/v1/runs');
  const constellation = constellationOf('unknown device', [{ id: 'a', device: 'nowhere-1', request: '$ echo hello' }]);

  const answer = await stack.api.request('POST', '/v1/runs?launch=true', constellation);

  expect([409, 422]).toContain(answer.status);
  expect(await stack.api.request('GET', '/v1/runs')).toEqual(runsBefore);
});
