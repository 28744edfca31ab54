import { expect, test } from 'vitest';
import { aFleet } from '@/lib/fleet/testing/a-fleet';
import { checkConstellation } from './check-constellation';

const CONTEXT = { nowMs: 0, newHex: () => '01234567' };
const check = (value: unknown, ...devices: string[]) =>
  checkConstellation(typeof value === 'string' ? value : JSON.stringify(value), aFleet(...devices), CONTEXT);

const task = (id: string, device: string) => ({ task_id: id, name: id, description: id, target_device_id: device });
const line = (id: string, from: string, to: string) => ({ line_id: id, from_task_id: from, to_task_id: to });
const plan = (device: string) => ({
  constellation_id: 'plan',
  tasks: { a: task('a', device), b: task('b', device) },
  dependencies: { l: line('l', 'a', 'b') },
});

test('a plan whose devices are all known can be launched at once', () => {
  const checked = check(plan('linux-1'), 'linux-1');
  expect(checked).toMatchObject({ kind: 'valid', launchObstacle: null });
});

test('an unknown device is a warning with its place, and an obstacle to launching only', () => {
  const checked = check(plan('ghost'), 'linux-1');
  if (checked.kind !== 'valid') throw new Error('expected a valid plan');
  expect(checked.run.warnings.map(({ path }) => path)).toContain('tasks.a.target_device_id');
  expect(checked.launchObstacle).toContain('ghost');
});

test('a cycle is a problem that names its tasks', () => {
  const cyclic = { ...plan('linux-1'), dependencies: { l: line('l', 'a', 'b'), m: line('m', 'b', 'a') } };
  expect(check(cyclic)).toMatchObject({ kind: 'problems', problems: [{ message: expect.stringMatching(/a.*b/) }] });
});

test('a text that is not JSON is a problem with line and column', () => {
  expect(check('{\n  "tasks": nope')).toMatchObject({
    kind: 'problems',
    problems: [{ message: expect.stringContaining('line 2') }],
  });
});

test('valid JSON of another shape is named and never an empty plan', () => {
  expect(check([1, 2])).toMatchObject({ kind: 'problems' });
  expect(check({ nodes: [], connections: {} })).toMatchObject({
    kind: 'problems',
    problems: [{ message: expect.stringContaining('n8n') }],
  });
});
