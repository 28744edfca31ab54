import { expect, test } from 'vitest';
import type { RoundReport, TaskCommand } from '@/lib/aip/endpoints/task-agent';
import type { CommandResult } from '@/lib/aip/messages';
import { createCancellation, neverCancelled } from '@/lib/aip/transport/cancellation';
import { scriptedAgent } from './scripted-agent';

const DEVICE = { id: 'linux-1', platform: 'linux' };

function sessionOf(request: string, answer: (commands: readonly TaskCommand[]) => readonly CommandResult[]) {
  const rounds: (readonly TaskCommand[])[] = [];
  const reports: RoundReport[] = [];
  return {
    rounds,
    reports,
    session: {
      sessionId: 's',
      taskName: 't',
      request,
      device: DEVICE,
      deadlineAtMs: undefined,
      cancellation: neverCancelled,
      report: (round: RoundReport) => void reports.push(round),
      execute: async (commands: readonly TaskCommand[]) => {
        rounds.push(commands);
        return answer(commands);
      },
    },
  };
}

test('each round of the request is one COMMAND, and its results are the outcome', async () => {
  const { session, rounds } = sessionOf('$ echo a\nread_file path=x\n\n$ id', (commands) =>
    commands.map(() => ({ status: 'success', result: 'out' })),
  );
  expect(await scriptedAgent.run(session)).toEqual({
    status: 'completed',
    result: [
      { request: '$ echo a\nread_file path=x', result: ['out', 'out'] },
      { request: '$ id', result: 'out' },
    ],
  });
  expect(rounds).toEqual([
    [
      { toolName: 'execute_command', parameters: { command: 'echo', args: ['a'] }, toolType: 'action' },
      { toolName: 'read_file', parameters: { path: 'x' }, toolType: 'data_collection' },
    ],
    [{ toolName: 'execute_command', parameters: { command: 'id', args: [] }, toolType: 'action' }],
  ]);
});

test('each round is reported when it is over, so that a task that is cut short says how far it got', async () => {
  const { session, reports } = sessionOf('$ a\n\n$ b\n\n$ c', (commands) =>
    commands.map(({ parameters }) =>
      parameters.command === 'b' ? { status: 'failure', error: 'b broke' } : { status: 'success', result: 'out' },
    ),
  );
  await scriptedAgent.run(session);
  expect(reports).toEqual([
    { request: '$ a', result: 'out' },
    { request: '$ b', result: { error: 'b broke' } },
  ]);
});

test('after a failed round nothing more is sent to the device', async () => {
  const { session, rounds } = sessionOf('$ a\n\n$ b', () => [{ status: 'failure', error: 'a broke' }]);
  expect(await scriptedAgent.run(session)).toMatchObject({ status: 'failed', error: 'a broke' });
  expect(rounds).toHaveLength(1);
});

test('a cancelled task sends no further round', async () => {
  const source = createCancellation();
  const { session, rounds } = sessionOf('$ a\n\n$ b', () => {
    source.cancel();
    return [{ status: 'success', result: 'A' }];
  });
  const outcome = await scriptedAgent.run({ ...session, cancellation: source.cancellation });
  expect(outcome).toMatchObject({ status: 'failed', result: [{ request: '$ a', result: 'A' }] });
  expect(rounds).toHaveLength(1);
});
