import { describe, expect, test } from 'vitest';
import {
  aConnectedConstellation,
  accept,
  agreedTo,
  answerInfo,
  endTask,
  give,
  letIn,
  REFUSED,
  taskOn,
} from '@/lib/aip/testing/a-constellation';
import { settle } from '@/lib/aip/testing/fake-clock';

const UNKNOWN = { error: 'Device dev-1 not found or no system info available' };

describe('one task after another', () => {
  test('[AIP-65] a TASK names its target, its request and a session that never repeats, whatever its id', async () => {
    const constellation = await aConnectedConstellation();
    const sessions = new Set<unknown>();
    for (let time = 0; time < 3; time += 1) {
      await give(constellation, 'a', { taskName: 'paint' });
      const task = taskOn(constellation.server());
      sessions.add(task.session_id);
      expect(task).toMatchObject({
        client_type: 'constellation',
        target_id: 'dev-1',
        request: 'do it',
        task_name: 'galaxy/run-1/paint',
      });
      await endTask(constellation.server(), task);
    }

    expect(sessions.size).toBe(3);
  });

  test.each([
    ['a blank request', { request: ' \n' }],
    ['a time limit of zero', { timeoutMs: 0 }],
    ['a time limit without end', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['a time limit that is no number', { timeoutMs: Number.NaN }],
  ])('[AIP-65] %s is refused and nothing is sent', async (_what, order) => {
    const constellation = await aConnectedConstellation();
    const { ended } = await give(constellation, 'a', order);

    expect(await ended).toMatchObject({ status: 'failed', errorType: 'refused' });
    expect(constellation.server().heard()).toEqual([]);
  });

  test('an id that is under way or waits cannot be used again before its task has ended', async () => {
    const constellation = await aConnectedConstellation();
    await give(constellation, 'a');
    await give(constellation, 'b');

    for (const id of ['a', 'b']) {
      expect(await (await give(constellation, id)).ended).toMatchObject({ errorType: 'refused' });
    }
    await endTask(constellation.server(), taskOn(constellation.server()));
    const again = await give(constellation, 'a');
    await endTask(constellation.server(), taskOn(constellation.server()));
    await endTask(constellation.server(), taskOn(constellation.server()));
    expect(await again.ended).toMatchObject({ status: 'completed' });
  });

  test('the others wait in the order of giving', async () => {
    const constellation = await aConnectedConstellation();
    const wire = constellation.server();
    for (const id of ['a', 'b', 'c']) await give(constellation, id);
    const order: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      const tasks = wire.heard().filter(({ type }) => type === 'task');
      expect(tasks).toHaveLength(1);
      order.push(String(tasks[0]?.task_name).at(-1) ?? '');
      await endTask(wire, tasks[0] ?? {});
    }

    expect(order).toEqual(['a', 'b', 'c']);
  });

  test('devices work side by side', async () => {
    const constellation = await aConnectedConstellation();
    const other = constellation.endpoint.connectToDevice('dev-2', 'ws://two');
    await letIn(constellation, { deviceId: 'dev-2' });
    await other;
    await give(constellation, 'a');
    await give(constellation, 'a', { deviceId: 'dev-2' });

    expect(taskOn(constellation.server('dev-1')).target_id).toBe('dev-1');
    expect(taskOn(constellation.server('dev-2')).target_id).toBe('dev-2');
  });
});

describe('ends', () => {
  test('[AIP-75] a TASK_END of another session, or on another device’s connection, ends nothing', async () => {
    const constellation = await aConnectedConstellation();
    const other = constellation.endpoint.connectToDevice('dev-2', 'ws://two');
    await letIn(constellation, { deviceId: 'dev-2' });
    await other;
    const { ended } = await give(constellation, 'a');
    const task = taskOn(constellation.server('dev-1'));
    await endTask(constellation.server('dev-2'), task, { result: 'forged' });
    await endTask(constellation.server('dev-1'), { session_id: 'another' }, { result: 'foreign' });
    await endTask(constellation.server('dev-1'), task, { result: 'true' });
    await endTask(constellation.server('dev-1'), task, { result: 'again' });

    expect(await ended).toMatchObject({ status: 'completed', result: 'true' });
    expect(constellation.kinds().filter((kind) => kind === 'task-ended')).toHaveLength(1);
  });

  test.each([null, false, 0, '', 'x', [], [1], { a: 1 }])(
    '[AIP-76] an end before the acknowledgement counts, with any result: %j',
    async (result) => {
      const constellation = await aConnectedConstellation();
      const { ended } = await give(constellation, 'a');
      const task = taskOn(constellation.server());
      await endTask(constellation.server(), task, { result });
      await accept(constellation.server(), task);

      expect(await ended).toMatchObject({ status: 'completed', result: result ?? undefined });
      expect(constellation.kinds()).not.toContain('task-accepted');
    },
  );

  test('that say failed have a reason, the server’s own where it gives one', async () => {
    const constellation = await aConnectedConstellation();
    const said: unknown[] = [];
    for (const more of [
      { status: 'failed', error: 'boom', result: [] },
      { status: 'failed', result: { failure: 'session ended with an error' } },
      { status: 'failed' },
      { status: 'ok' },
      { status: 'failed', result: { error_type: 'timeout' } },
      { status: 'failed', result: { error_type: 'refused' }, error: 'a word that is not a server’s' },
    ]) {
      const { ended } = await give(constellation, 'a');
      await endTask(constellation.server(), taskOn(constellation.server()), more);
      const outcome = await ended;
      said.push(outcome.status === 'failed' && [outcome.errorType, outcome.error]);
      const next = await give(constellation, 'next');
      await answerInfo(constellation.server(), { platform: 'linux' });
      await endTask(constellation.server(), taskOn(constellation.server()));
      expect(await next.ended).toMatchObject({ status: 'completed' });
    }

    expect(said).toEqual([
      ['execution_error', 'boom'],
      ['execution_error', 'session ended with an error'],
      ['execution_error', 'The task failed, and the server did not say why'],
      ['execution_error', 'Expected completed or failed as the end of a task, the server said ok'],
      ['timeout', 'The task failed, and the server did not say why'],
      ['execution_error', 'a word that is not a server’s'],
    ]);
  });

  test('that cannot be read fail the task at once', async () => {
    const constellation = await aConnectedConstellation();
    const { ended } = await give(constellation, 'a');
    const { session_id: sessionId } = taskOn(constellation.server());
    await constellation
      .server()
      .transport.send(JSON.stringify({ type: 'task_end', session_id: sessionId, status: '?' }));

    expect(await ended).toMatchObject({ errorType: 'execution_error', error: expect.stringMatching(/cannot be read/) });
  });

  test('[AIP-78] an ERROR before the acknowledgement refuses that task and no other', async () => {
    const constellation = await aConnectedConstellation();
    const refused = await give(constellation, 'a');
    const kept = await give(constellation, 'b');
    await constellation.server().say(REFUSED);
    expect(await refused.ended).toMatchObject({ status: 'failed', errorType: 'refused' });

    await settle();
    await answerInfo(constellation.server(), { platform: 'linux' });
    const task = taskOn(constellation.server());
    await accept(constellation.server(), task);
    await constellation.server().say(REFUSED);
    await settle();
    await endTask(constellation.server(), task);
    expect(await kept.ended).toMatchObject({ status: 'completed', taskId: 'b' });
  });

  test('[AIP-98] no text of an error decides anything', async () => {
    for (const error of ['Task was cancelled because target device disconnected', 'timed out after 3 s', 'refused']) {
      const constellation = await aConnectedConstellation();
      const { ended } = await give(constellation, 'a');
      await endTask(constellation.server(), taskOn(constellation.server()), { status: 'failed', error });

      expect(await ended).toMatchObject({ errorType: 'execution_error', error });
    }
  });

  test('[AIP-97] no ERROR is answered with anything', async () => {
    const constellation = await aConnectedConstellation();
    for (let time = 0; time < 5; time += 1) await constellation.server().say(REFUSED);
    await settle();

    expect(constellation.server().heard()).toEqual([]);
  });

  test('that fail make the device be looked for; one that is gone keeps its queue until it is back', async () => {
    const constellation = await aConnectedConstellation();
    const wire = constellation.server();
    const failed = await give(constellation, 'a');
    const waiting = await give(constellation, 'b');
    await endTask(wire, taskOn(wire), { status: 'failed', error: 'gone' });
    await answerInfo(wire, UNKNOWN);

    expect(await failed.ended).toMatchObject({ status: 'failed' });
    expect(wire.closed).toMatchObject({ code: 1000 });
    await constellation.clock.advance(1_000);
    await letIn(constellation);
    await settle();
    expect(constellation.servers()).toHaveLength(2);
    await endTask(constellation.server(), taskOn(constellation.server()));
    expect(await waiting.ended).toMatchObject({ status: 'completed' });
  });
});

describe('time limits', () => {
  test('[AIP-77] a task is over by its own limit, and a late end changes nothing', async () => {
    const constellation = await aConnectedConstellation({}, agreedTo('cancel'));
    const wire = constellation.server();
    const late = await give(constellation, 'a', { timeoutMs: 5_000 });
    const next = await give(constellation, 'b');
    const task = taskOn(wire);
    await accept(wire, task);
    await constellation.clock.advance(5_000);

    expect(await late.ended).toMatchObject({ status: 'failed', errorType: 'timeout' });
    expect(wire.heard()).toMatchObject([{ type: 'task_end', status: 'failed', session_id: task.session_id }]);
    await endTask(wire, task, { result: 'late' });
    await answerInfo(wire, { platform: 'linux' });
    await endTask(wire, taskOn(wire), { result: 'in time' });
    expect(await next.ended).toMatchObject({ status: 'completed', result: 'in time' });
    expect(constellation.kinds().filter((kind) => kind === 'task-ended')).toHaveLength(2);
  });

  test('[AIP-77] a stock server stops a task only with its connection, which comes back for the next one', async () => {
    const constellation = await aConnectedConstellation();
    const wire = constellation.server();
    const late = await give(constellation, 'a', { timeoutMs: 5_000 });
    const next = await give(constellation, 'b');
    await constellation.clock.advance(5_000);

    expect(await late.ended).toMatchObject({ errorType: 'timeout' });
    expect(wire.closed).toMatchObject({ code: 1000, reason: 'a task took too long' });
    await constellation.clock.advance(1_000);
    await letIn(constellation);
    await settle();
    await endTask(constellation.server(), taskOn(constellation.server()));
    expect(await next.ended).toMatchObject({ status: 'completed' });
    expect(constellation.kinds().filter((kind) => kind === 'task-ended')).toHaveLength(2);
  });

  test('a server that does not stop a task in time loses its connection', async () => {
    const constellation = await aConnectedConstellation({}, agreedTo('cancel'));
    const wire = constellation.server();
    await give(constellation, 'a', { timeoutMs: 5_000 });
    await constellation.clock.advance(14_999);
    expect(wire.closed).toBeUndefined();
    await constellation.clock.advance(1);
    expect(wire.closed).toMatchObject({ code: 1000 });
  });

  test('where deadlines are agreed the limit travels, and the server may say what came of it', async () => {
    const constellation = await aConnectedConstellation({}, agreedTo('deadline', 'cancel'));
    const { ended } = await give(constellation, 'a', { timeoutMs: 5_000 });
    const task = taskOn(constellation.server());
    expect(task.metadata).toEqual({ timeout_seconds: 5 });
    await constellation.clock.advance(7_000);
    const result = { error_type: 'timeout', failure: 'too slow', rounds: ['a'] };
    await endTask(constellation.server(), task, { status: 'failed', result });

    expect(await ended).toMatchObject({ errorType: 'timeout', error: 'too slow', result });
  });

  test('a task that says nothing of it may take 1000 s', async () => {
    const constellation = await aConnectedConstellation();
    const { ended } = await give(constellation, 'a');
    const task = taskOn(constellation.server());
    expect(task).not.toHaveProperty('metadata');
    for (let seconds = 0; seconds < 999; seconds += 37) {
      await constellation.clock.advance(Math.min(37_000, (999 - seconds) * 1_000));
      await accept(constellation.server(), {});
    }
    expect(constellation.kinds()).not.toContain('task-ended');
    await constellation.clock.advance(1_000);
    expect(await ended).toMatchObject({ errorType: 'timeout' });
  });
});

describe('cancelling', () => {
  test('a task that waits is not sent', async () => {
    const constellation = await aConnectedConstellation();
    await give(constellation, 'a');
    const { ended } = await give(constellation, 'b');

    expect(await constellation.endpoint.cancelTask('dev-1', 'b')).toEqual({ ok: true, value: null });
    expect(await ended).toMatchObject({ status: 'failed', errorType: 'cancelled' });
    await endTask(constellation.server(), taskOn(constellation.server()));
    expect(constellation.server().heard()).toEqual([]);
  });

  test('a task under way is ended by its server where that is agreed, with what it has come to', async () => {
    const constellation = await aConnectedConstellation({}, agreedTo('cancel'));
    const { ended } = await give(constellation, 'a');
    const task = taskOn(constellation.server());
    const cancelling = [
      constellation.endpoint.cancelTask('dev-1', 'a'),
      constellation.endpoint.cancelTask('dev-1', 'a'),
    ];
    await settle();
    expect(constellation.server().heard()).toMatchObject([
      { type: 'task_end', status: 'failed', client_type: 'constellation', session_id: task.session_id },
    ]);
    await endTask(constellation.server(), task, { status: 'failed', error: 'cancelled', result: { rounds: [] } });

    expect(await Promise.all(cancelling)).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await ended).toMatchObject({ errorType: 'cancelled', result: { rounds: [] } });
    expect(constellation.server().transport.state).toBe('connected');
  });

  test('a stock server never hears of it: its connection is closed and opened again', async () => {
    const constellation = await aConnectedConstellation();
    const wire = constellation.server();
    const { ended } = await give(constellation, 'a');
    wire.heard();

    expect(await constellation.endpoint.cancelTask('dev-1', 'a')).toEqual({ ok: true, value: null });
    expect(await ended).toMatchObject({ errorType: 'cancelled' });
    expect(wire.heard()).toEqual([]);
    expect(wire.closed).toMatchObject({ code: 1000 });
    await constellation.clock.advance(1_000);
    expect(constellation.servers()).toHaveLength(2);
  });

  test('a task that was faster is completed, and whoever cancelled hears that', async () => {
    const constellation = await aConnectedConstellation({}, agreedTo('cancel'));
    const { ended } = await give(constellation, 'a');
    const cancelling = constellation.endpoint.cancelTask('dev-1', 'a');
    await settle();
    await endTask(constellation.server(), constellation.server().heard()[0] ?? {}, { result: 'done' });

    expect(await ended).toMatchObject({ status: 'completed', result: 'done' });
    expect(await cancelling).toMatchObject({ ok: false, error: { code: 'ended-otherwise' } });
    expect(await constellation.endpoint.cancelTask('dev-1', 'a')).toMatchObject({ error: { code: 'unknown-task' } });
  });

  test('a time limit that passes while a task is being cancelled changes nothing', async () => {
    const constellation = await aConnectedConstellation({}, agreedTo('cancel'));
    const { ended } = await give(constellation, 'a', { timeoutMs: 5_000 });
    const task = taskOn(constellation.server());
    void constellation.endpoint.cancelTask('dev-1', 'a');
    await constellation.clock.advance(6_000);
    expect(constellation.server().heard()).toHaveLength(1);
    await endTask(constellation.server(), task, { status: 'failed' });

    expect(await ended).toMatchObject({ errorType: 'cancelled' });
  });

  test('a server that does not end the task loses its connection, and the task is cancelled', async () => {
    const constellation = await aConnectedConstellation({}, agreedTo('cancel'));
    const { ended } = await give(constellation, 'a');
    const cancelling = constellation.endpoint.cancelTask('dev-1', 'a');
    await constellation.clock.advance(10_000);

    expect(await cancelling).toMatchObject({ ok: true });
    expect(await ended).toMatchObject({ errorType: 'cancelled' });
    expect(constellation.servers()[0]?.closed).toMatchObject({ code: 1000 });
  });
});

describe('while it runs', () => {
  test('the lines of a task are told with its names, and its last ones stand in the outcome', async () => {
    const constellation = await aConnectedConstellation({}, agreedTo('log'));
    const { ended } = await give(constellation, 'a');
    const task = taskOn(constellation.server());
    const line = { type: 'heartbeat', status: 'continue', messages: ['one', 'two'] };
    await constellation.server().say({ ...line, session_id: task.session_id ?? null });
    await constellation.server().say({ ...line, session_id: 'another' });
    await endTask(constellation.server(), task, { messages: ['two'] });

    const logs = constellation.events.filter(({ kind }) => kind === 'task-log');
    expect(logs).toEqual([
      { kind: 'task-log', deviceId: 'dev-1', taskId: 'a', sessionId: task.session_id, messages: ['one', 'two'] },
    ]);
    expect(await ended).toMatchObject({ messages: ['two'] });
  });

  test('a message that cannot be written refuses its task, and the next one goes out', async () => {
    const constellation = await aConnectedConstellation({
      middlewares: [
        {
          name: 'strict',
          outgoing(message) {
            if (message.request === 'no') throw new Error('not this one');
            return message;
          },
        },
      ],
    });
    const refused = await give(constellation, 'a', { request: 'no' });
    expect(await refused.ended).toMatchObject({ errorType: 'refused' });
    const next = await give(constellation, 'b');
    await answerInfo(constellation.server(), { platform: 'linux' });
    await endTask(constellation.server(), taskOn(constellation.server()));
    expect(await next.ended).toMatchObject({ status: 'completed' });
  });

  test('a task that is larger than its server takes is refused, and the next one goes out', async () => {
    const constellation = await aConnectedConstellation({ messageBytesMax: 2_000 });
    const refused = await give(constellation, 'a', { request: 'x'.repeat(3_000) });
    expect(await refused.ended).toMatchObject({
      errorType: 'refused',
      error: expect.stringContaining('larger than the 2000 bytes'),
    });
    await give(constellation, 'b');
    await answerInfo(constellation.server(), { platform: 'linux' });
    expect(taskOn(constellation.server())).toMatchObject({ request: 'do it' });
  });

  test('a connection that breaks while a task is being written has lost it: nobody knows how much arrived', async () => {
    const constellation = await aConnectedConstellation({
      middlewares: [
        {
          name: 'scissors',
          outgoing(message) {
            if (message.type === 'task') constellation.server().transport.terminate();
            return message;
          },
        },
      ],
    });
    const { ended } = await give(constellation, 'a');

    expect(await ended).toMatchObject({ status: 'failed', errorType: 'device_disconnection' });
  });
});
