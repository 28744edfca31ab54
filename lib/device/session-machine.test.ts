import { expect, test } from 'vitest';
import type { CommandResult } from '@/lib/aip/messages';
import type { JsonValue } from '@/lib/std/json';
import { answerRound, beginTask, type Commanding, commandsDue, receiveTask, toolTypeOf } from './session-machine';

const success = (result: JsonValue): CommandResult => ({ status: 'success', result });
const failure = (error: string): CommandResult => ({ status: 'failure', error });
const skipped: CommandResult = { status: 'skipped', error: 'Skipped' };

function commanding(request: string): Commanding {
  const session = beginTask(receiveTask(request));
  if (session.phase !== 'commanding') throw new Error(`expected a round, got ${JSON.stringify(session)}`);
  return session;
}

test('a request that is not understood ends the task before anything runs', () => {
  expect(beginTask(receiveTask('$ date\n\nrestart it please'))).toMatchObject({
    phase: 'ended',
    status: 'failed',
    reports: [],
    error: expect.stringContaining('Line 3'),
  });
});

test('rounds run one after the other and each leaves one entry', () => {
  const first = commanding('$ date\n\n$ id\nget_system_info');
  expect(commandsDue(first)).toHaveLength(1);
  const second = answerRound(first, [success('today')]);
  expect(second).toMatchObject({ phase: 'commanding', step: 1 });
  expect(second.phase === 'commanding' && commandsDue(second)).toHaveLength(2);
  expect(second.phase === 'commanding' && answerRound(second, [success('me'), success({ cpu: 2 })])).toEqual({
    phase: 'ended',
    status: 'completed',
    reports: [
      { request: '$ date', result: 'today' },
      { request: '$ id\nget_system_info', result: ['me', { cpu: 2 }] },
    ],
  });
});

test('the first failed command ends the task with its error and keeps what came before it', () => {
  const ended = answerRound(commanding('$ a\n$ b\n$ c\n\n$ d'), [success('A'), failure('b broke'), skipped]);
  expect(ended).toEqual({
    phase: 'ended',
    status: 'failed',
    error: 'b broke',
    reports: [{ request: '$ a\n$ b\n$ c', result: ['A', { error: 'b broke' }, { skipped: 'Skipped' }] }],
  });
});

test.each([[false], [0], [''], [[]], [{}], [null]])('a success that brings %j is a success and is kept', (payload) => {
  expect(answerRound(commanding('tool'), [success(payload)])).toEqual({
    phase: 'ended',
    status: 'completed',
    reports: [{ request: 'tool', result: payload }],
  });
});

test('a command without a result counts as failed', () => {
  expect(answerRound(commanding('$ a\n$ b'), [success('A')])).toMatchObject({
    status: 'failed',
    error: 'The device gave no result for this command',
  });
  expect(answerRound(commanding('$ a'), [])).toMatchObject({ status: 'failed' });
});

test('a surplus of results is ignored', () => {
  expect(answerRound(commanding('$ a'), [success('A'), failure('nobody asked')])).toMatchObject({
    status: 'completed',
    reports: [{ result: 'A' }],
  });
});

test('a failure without a reason still gives one', () => {
  expect(answerRound(commanding('$ a'), [{ status: 'failure' }])).toMatchObject({
    error: 'The command ended as failure without a reason',
  });
});

test('tools that only look are told from those that act', () => {
  expect(toolTypeOf('read_file')).toBe('data_collection');
  expect(toolTypeOf('execute_command')).toBe('action');
  // As a stock agent sends it: a stock device never answers it in any other way.
  expect(toolTypeOf('list_tools')).toBe('action');
});
