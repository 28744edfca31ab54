import { expect, test } from 'vitest';
import { aPlan, aStar } from '@/lib/constellation/testing/a-plan';
import { A_RUN_ID, type ARun, aRun, deviceId, taskId } from '@/lib/run/testing/a-run';
import { launchFaults } from './launch-faults';
import { permitFor } from './run-permits';

const PLAN = aPlan(
  [aStar('a', { targetDeviceId: 'ghost', name: 'Collect' }), 'b', aStar('c', { targetDeviceId: null, name: '' })],
  [],
);
const faultsOf = ({ run, fleet }: ARun) => launchFaults(run, fleet);

test('every task without a device that is here is named, with what the plan says', () => {
  expect(faultsOf(aRun(PLAN))).toEqual([
    { taskId: 'a', name: 'Collect', deviceName: 'ghost' },
    { taskId: 'c', name: 'c', deviceName: null },
  ]);
});

test('there are faults exactly as long as the launch is refused', () => {
  const run = aRun(PLAN);
  const mayLaunch = () => permitFor(run.run, run.fleet, { type: 'run-launch', runId: A_RUN_ID }).isAllowed;
  const place = (id: string) =>
    run.tell({
      type: 'task-place',
      runId: A_RUN_ID,
      taskId: taskId(id),
      deviceId: deviceId('linux-1'),
      baseRevision: run.run.revision,
    });

  const story = [[faultsOf(run).length, mayLaunch()]];
  for (const id of ['a', 'c']) {
    place(id);
    story.push([faultsOf(run).length, mayLaunch()]);
  }

  expect(story).toEqual([
    [2, false],
    [1, false],
    [0, true],
  ]);
});
