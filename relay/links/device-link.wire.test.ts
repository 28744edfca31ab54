import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aPlan, aStar } from '@/lib/constellation/testing/a-plan';
import { FLEET_STREAM, runStream } from '@/lib/relay-protocol/streams';
import { listen } from '@/relay/net/testing/loopback';
import type { RelayCoreOptions } from '@/relay/runtime/create-relay-core';
import { type ACore, aCore, aDataDir, until } from '@/relay/runtime/testing/a-core';
import { deviceId, RUN_1, taskId } from '@/relay/runtime/testing/a-runtime';
import { type FakeDeviceServer, startFakeDeviceServer } from './testing/fake-device-server';

let server: FakeDeviceServer;
const undo: (() => unknown)[] = [];

beforeEach(async () => {
  server = await startFakeDeviceServer();
  undo.push(() => server.stop());
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function relay(options: Partial<RelayCoreOptions> = {}): ACore {
  const dir = aDataDir();
  const one = aCore(dir.path, options);
  undo.push(dir.remove, () => one.core.close());
  return one;
}

async function idleRelay(options: Partial<RelayCoreOptions> = {}): Promise<ACore> {
  const one = relay(options);
  await one.addDevice('linux-1', server.url);
  await until(() => one.device('linux-1')?.status === 'idle');
  return one;
}

/** A run of one task is under way on the device. */
async function busyRelay(options: Partial<RelayCoreOptions> = {}, plan = aPlan(['a'])): Promise<ACore> {
  const one = await idleRelay(options);
  await one.createRun(plan);
  await until(() => one.task('a')?.attempts[0]?.state.phase === 'accepted');
  return one;
}

function statuses(one: ACore): string[] {
  return one.core.runtime
    .readAfter(FLEET_STREAM, 0, 1_000)
    .flatMap(({ event }) => (event.type === 'device-status-changed' ? [event.status] : []));
}

function runEvents(one: ACore): string[] {
  return one.core.runtime.readAfter(runStream(RUN_1), 0, 1_000).map(({ event }) => event.type);
}

describe('an end that cannot be read', () => {
  const end = (session: unknown, rest: string) =>
    `{"type":"task_end","timestamp":"x","session_id":${JSON.stringify(session)},${rest}}`;

  test.each([
    ['half of a surrogate pair', '"status":"completed","result":"\\udcff"', /surrogate/],
    ['nesting without end', `"status":"completed","result":${'['.repeat(9_000)}${']'.repeat(9_000)}`, /nesting/],
    ['a word that nobody knows', '"status":"banana","result":null', /status/],
    ['an error that is no text', '"status":"failed","error":{"code":1}', /error: expected/],
  ])('with %s fails its task at once and says why, and the next task goes out', async (_, rest, reason) => {
    const one = await busyRelay({}, aPlan(['a', 'b']));
    await server.send(end(server.tasks()[0]?.session_id, rest));
    await until(() => one.task('a')?.status === 'failed');

    expect(one.task('a')?.error).toMatch(reason);
    await until(() => one.task('b')?.attempts[0]?.state.phase === 'accepted');
  });

  test('of another session changes nothing', async () => {
    const one = await busyRelay();
    await server.send(end('another', '"status":"banana"'));
    await server.endTask(server.tasks()[0]);

    await until(() => one.run()?.state === 'completed');
  });
});

describe('a device that is well', () => {
  test('goes from connecting to idle, and shows what it said', async () => {
    const one = await idleRelay();

    expect(statuses(one)).toEqual(['connecting', 'registering', 'connected', 'idle']);
    expect(one.device('linux-1')?.info).toMatchObject({ info: server.info, origin: 'registration' });
    expect(server.registrations()[0]).toMatchObject({ client_type: 'constellation', target_id: 'linux-1' });
    expect(String(server.registrations()[0]?.client_id)).toMatch(/^orrery-[0-9a-f]{8}-[0-9a-f]{8}@linux-1$/);
  });

  test('gets a task with its own session, and its result completes the task', async () => {
    const one = await busyRelay();
    const [task] = server.tasks();
    expect(one.device('linux-1')).toMatchObject({ status: 'busy', currentTask: { taskId: 'a' } });
    expect(task).toMatchObject({
      client_type: 'constellation',
      target_id: 'linux-1',
      request: 'Task Description: Do a\nTips for Completion:\nNo tips available.',
    });
    expect(String(task?.session_id)).toMatch(new RegExp(`^${RUN_1}\\.a\\.1\\.[0-9a-f]{32}$`));

    await server.endTask(task, { result: [{ request: 'x', result: 0 }] });
    await until(() => one.run()?.state === 'completed');

    expect(one.task('a')?.result).toEqual({ kind: 'inline', value: [{ request: 'x', result: 0 }] });
    await until(() => one.device('linux-1')?.status === 'idle');
    expect(one.device('linux-1')?.currentTask).toBeNull();
  });

  test('gets one task at a time, first come first served, over one connection', async () => {
    const one = await idleRelay();
    await one.createRun(aPlan(['a', 'b', 'c']));
    for (const id of ['a', 'b', 'c']) {
      await until(() => one.task(id)?.attempts[0]?.state.phase === 'accepted');
      expect(server.tasks().at(-1)?.task_name).toBe(id);
      await server.endTask(server.tasks().at(-1));
    }
    await until(() => one.run()?.state === 'completed');

    expect(server.tasks()).toHaveLength(3);
    expect(server.registrations()).toHaveLength(1);
  });

  test('is asked anew by a refresh, whose age stays that of the first sight while its words stay the same', async () => {
    const one = await idleRelay();
    const first = one.device('linux-1')?.info;
    await new Promise((resolve) => setTimeout(resolve, 20));

    await one.send({ type: 'device-refresh', deviceId: deviceId('linux-1'), when: 'now' });
    await until(() => one.device('linux-1')?.refresh.phase === 'none');
    const again = one.device('linux-1')?.info;

    expect(again?.collectedAtMs).toBe(first?.collectedAtMs);
    expect(again?.askedAtMs).toBeGreaterThan(first?.askedAtMs ?? 0);

    server.info = { ...server.info, memory_total_gb: 16 };
    await one.send({ type: 'device-refresh', deviceId: deviceId('linux-1'), when: 'now' });
    await until(() => one.device('linux-1')?.info?.info.memory_total_gb === 16);
    expect(one.device('linux-1')?.info?.collectedAtMs).toBeGreaterThan(first?.collectedAtMs ?? 0);
  });

  test('can be refreshed while it works', async () => {
    const one = await busyRelay();
    server.info = { ...server.info, memory_total_gb: 16 };

    await one.send({ type: 'device-refresh', deviceId: deviceId('linux-1'), when: 'now' });
    await until(() => one.device('linux-1')?.info?.info.memory_total_gb === 16);

    expect(one.device('linux-1')?.status).toBe('busy');
  });
});

describe('a task that does not end well', () => {
  test('fails with what the device said', async () => {
    const one = await busyRelay();
    await server.endTask(server.tasks()[0], { status: 'failed', error: 'no such tool', result: { step: 1 } });
    await until(() => one.run()?.state === 'failed');

    expect(one.task('a')).toMatchObject({
      status: 'failed',
      error: 'no such tool',
      failureCause: 'device',
      result: { kind: 'inline', value: { step: 1 } },
    });
  });

  test('fails as refused when the server answers it with an error', async () => {
    server.behaviour.task = 'refuse';
    const one = await idleRelay();
    await one.createRun(aPlan(['a']));
    await until(() => one.run()?.state === 'failed');

    expect(one.task('a')).toMatchObject({ failureCause: 'refused' });
    expect(one.task('a')?.error).toContain('Service session not supported on toaster');
    await until(() => one.device('linux-1')?.status === 'idle');
    expect(server.registrations()).toHaveLength(1);
  });

  test('an error after the acknowledgement fails nothing', async () => {
    const one = await busyRelay();
    await server.send({ type: 'error', status: 'error', error: 'whatever', timestamp: '', response_id: 'x' });
    await server.endTask(server.tasks()[0]);
    await until(() => one.run()?.state === 'completed');
  });

  test('is lost, not failed, when the connection is cut, and nothing is sent twice', async () => {
    const one = await busyRelay();
    server.cut();
    await until(() => one.task('a')?.status === 'failed');

    expect(one.task('a')).toMatchObject({ failureCause: 'outcome-unknown' });
    expect(one.task('a')?.error).toMatch(/^outcome unknown: the connection to the device server was cut/);
    await until(() => one.device('linux-1')?.status === 'idle');
    expect(server.tasks()).toHaveLength(1);
  });

  test('is lost when the server closes in answer to it', async () => {
    server.behaviour.task = 'close';
    const one = await idleRelay();
    await one.createRun(aPlan(['a']));
    await until(() => one.task('a')?.status === 'failed');

    expect(one.task('a')?.failureCause).toBe('outcome-unknown');
    expect(server.tasks()).toHaveLength(1);
  });

  test('is given up after its timeout: the connection is made anew and a late result changes nothing', async () => {
    const one = await idleRelay();
    await one.createRun(aPlan([aStar('a', { timeoutMs: 100 })]));
    await until(() => one.run()?.state === 'failed');

    expect(one.task('a')).toMatchObject({ failureCause: 'timeout' });
    await until(() => one.device('linux-1')?.status === 'idle');
    expect(server.registrations()).toHaveLength(2);
    await server.endTask(server.tasks()[0]);
    await one.send({ type: 'device-refresh', deviceId: deviceId('linux-1'), when: 'now' });
    expect(one.task('a')?.status).toBe('failed');
  });

  test('is cancelled over the link: closed and opened again, and the next task waits for that', async () => {
    const one = await busyRelay({}, aPlan(['a', 'b']));
    await one.send({ type: 'task-cancel', runId: RUN_1, taskId: taskId('a') });
    await until(() => one.task('a')?.status === 'cancelled');
    await until(() => one.task('b')?.attempts[0]?.state.phase === 'accepted');

    expect(runEvents(one)).toContain('attempt-cancelling');
    expect(one.task('a')).toMatchObject({ cancelCause: { kind: 'operator' } });
    const kinds = server.frames.map(({ type }) => type).filter((type) => type !== 'heartbeat');
    expect(kinds.lastIndexOf('register')).toBeGreaterThan(kinds.indexOf('task'));
    expect(kinds.lastIndexOf('device_info_request')).toBeLessThan(kinds.lastIndexOf('task'));
    expect(kinds.lastIndexOf('device_info_request')).toBeGreaterThan(kinds.lastIndexOf('register'));
  });

  test('a result over the cap fails the task as too large', async () => {
    const one = await busyRelay({ deviceMessageBytesMax: 10_000 });
    await server.endTask(server.tasks()[0], { result: 'x'.repeat(20_000) });
    await until(() => one.run()?.state === 'failed');

    expect(one.task('a')).toMatchObject({ failureCause: 'too-large' });
    expect(one.task('a')?.error).toContain('result too large');
  });

  test('a result over a mebibyte is kept beside the journal', async () => {
    const one = await busyRelay();
    await server.endTask(server.tasks()[0], { result: 'x'.repeat(2_000_000) });
    await until(() => one.run()?.state === 'completed');

    expect(one.task('a')?.result).toMatchObject({ kind: 'blob', sizeBytes: 2_000_002 });
  });
});

describe('a hostile device server', () => {
  test('[S44] cannot end a task with the session of another', async () => {
    const one = await busyRelay();
    const [task] = server.tasks();
    for (const sessionId of [
      '',
      'x',
      null,
      `${task?.session_id}x`,
      String(task?.session_id).toUpperCase().replace('A', 'b'),
    ]) {
      await server.endTask({ session_id: sessionId });
    }
    await server.endTask(task, { result: 'right' });
    await until(() => one.run()?.state === 'completed');

    expect(one.task('a')?.result).toEqual({ kind: 'inline', value: 'right' });
    expect(runEvents(one)).not.toContain('attempt-strayed');
  });

  test('[S45] is not believed about who it is', async () => {
    const one = await busyRelay();
    const [task] = server.tasks();
    await server.endTask(task, { client_id: 'linux-2', target_id: 'linux-2', device_id: 'linux-2' });
    await until(() => one.run()?.state === 'completed');

    expect(one.task('a')?.attempts[0]?.deviceId).toBe('linux-1');
  });

  test('[S46] leaves nothing behind with results of sessions that do not exist', async () => {
    const one = await idleRelay();
    await one.createRun(aPlan(['a']), 'draft');
    const before = one.core.runtime.head(runStream(RUN_1));
    for (let index = 0; index < 2_000; index += 1) await server.endTask({ session_id: `${RUN_1}.a.1.${index}` });
    await one.send({ type: 'task-dispatch', runId: RUN_1, taskId: taskId('a') });
    await until(() => server.tasks().length === 1);

    expect(one.task('a')?.status).toBe('running');
    expect(
      runEvents(one)
        .slice(before.number)
        .filter((type) => type.startsWith('attempt-ended')),
    ).toEqual([]);
  });

  test('[S43] cannot fill the journal with what it says of itself, or why it failed', async () => {
    const one = await busyRelay();
    const before = one.device('linux-1')?.info;
    server.info = { ...server.info, noise: 'x'.repeat(500_000) };
    await one.send({ type: 'device-refresh', deviceId: deviceId('linux-1'), when: 'now' });
    await until(() => one.device('linux-1')?.refresh.phase === 'failed');
    expect(one.device('linux-1')?.info).toEqual(before);

    await server.endTask(server.tasks()[0], { status: 'failed', error: 'x'.repeat(5_000_000) });
    await until(() => one.run()?.state === 'failed');
    expect(one.task('a')?.error?.length).toBeLessThan(20_000);
  });

  test('[S43] that floods the link is read no faster than the journal writes', async () => {
    const one = await busyRelay();
    const flood = Array.from({ length: 5_000 }, () =>
      server.send({ type: 'heartbeat', status: 'ok', timestamp: '', response_id: 'x' }),
    );
    await Promise.all(flood);
    await server.endTask(server.tasks()[0]);
    await until(() => one.run()?.state === 'completed');

    expect(server.registrations()).toHaveLength(1);
    expect(one.core.runtime.head(FLEET_STREAM).number).toBeLessThan(20);
  });

  test('a second result of the same task counts as nothing, another one as a stray', async () => {
    const one = await busyRelay({}, aPlan(['a', 'b']));
    const [task] = server.tasks();
    await server.endTask(task);
    await server.endTask(task);
    await server.endTask(task, { status: 'failed', error: 'changed my mind' });
    await until(() => runEvents(one).includes('attempt-strayed'));

    expect(one.task('a')).toMatchObject({ status: 'completed' });
    expect(runEvents(one).filter((type) => type === 'attempt-strayed')).toHaveLength(1);
  });

  test('frames that are no messages are dropped and the link goes on', async () => {
    const one = await busyRelay();
    for (const text of [
      '',
      '{',
      '[]',
      'null',
      '{"type":"task_end"}',
      '{"type":"no","status":"ok"}',
      '['.repeat(10_000),
    ]) {
      await server.send(text);
    }
    await server.endTask(server.tasks()[0]);
    await until(() => one.run()?.state === 'completed');

    expect(server.registrations()).toHaveLength(1);
  });

  test('silence after the connection ends in a failed registration and another try', async () => {
    server.behaviour.register = 'nothing';
    const one = relay({ linkTiming: { registerMs: 100 } });
    await one.addDevice('linux-1', server.url);
    await until(() => one.device('linux-1')?.statusReason?.includes('did not confirm the registration'));
    server.behaviour.register = 'confirm';
    await until(() => one.device('linux-1')?.status === 'idle');
  });

  test('a server that closes before it confirms is tried again', async () => {
    server.behaviour.register = 'close';
    const one = relay();
    await one.addDevice('linux-1', server.url);
    await until(() => one.device('linux-1')?.statusReason?.includes('closed the connection before it confirmed'));
    server.behaviour.register = 'confirm';
    await until(() => one.device('linux-1')?.status === 'idle');
  });

  test('a server that takes a task and says nothing more is waited for until the task is over', async () => {
    server.behaviour.task = 'nothing';
    const one = await idleRelay({ linkTiming: { admissionMs: 50 } });
    await one.createRun(aPlan([aStar('a', { timeoutMs: 300 })]));
    await until(() => one.logs.some((line) => line.includes('task-not-acknowledged')));
    expect(one.task('a')?.attempts[0]?.state.phase).toBe('sending');
    await until(() => one.run()?.state === 'failed');

    expect(one.task('a')?.failureCause).toBe('timeout');
    expect(server.tasks()).toHaveLength(1);
  });

  test('silence of a peer that was well is noticed, and its task is lost', async () => {
    const one = await busyRelay({ linkTiming: { heartbeatMs: 50, deadAfterMs: 300 } });
    server.behaviour.register = 'refuse';
    for (const transport of server.open) Object.assign(transport, { send: async () => {} });
    await until(() => one.task('a')?.status === 'failed');

    expect(one.task('a')?.failureCause).toBe('outcome-unknown');
    await until(() => one.device('linux-1')?.status === 'disconnected');
  });

  test('a device that never told its server anything works all the same', async () => {
    server.behaviour.info = 'error';
    const one = await idleRelay();
    await one.createRun(aPlan(['a']));
    await until(() => server.tasks().length > 0);
    await server.endTask(server.tasks().at(-1));
    await until(() => one.run()?.state === 'completed');

    expect(one.device('linux-1')?.info).toBeNull();
  });
});

describe('a device that goes away', () => {
  test('shows offline when its server does not know it any more, and comes back by itself', async () => {
    const one = await idleRelay();
    server.behaviour.info = 'error';
    server.behaviour.register = 'refuse';
    await until(() => one.device('linux-1')?.status === 'disconnected');
    expect(one.device('linux-1')?.statusReason).toContain("Target device 'linux-1' is not connected");

    server.behaviour.info = 'tell';
    server.behaviour.register = 'confirm';
    await until(() => one.device('linux-1')?.status === 'idle');
    expect(statuses(one)).toEqual(['connecting', 'registering', 'connected', 'idle', 'disconnected', 'idle']);
  });

  test('stays idle on the screen when a doubt about it was unfounded', async () => {
    const one = await idleRelay();
    server.behaviour.info = 'error';
    await until(() => server.registrations().length >= 2);
    server.behaviour.info = 'tell';

    expect(statuses(one)).toEqual(['connecting', 'registering', 'connected', 'idle']);
  });

  test('is looked for at once after a failed task', async () => {
    const one = await busyRelay({ linkTiming: { presenceMs: 3_600_000 } });
    server.behaviour.info = 'error';
    server.behaviour.register = 'refuse';
    await server.endTask(server.tasks()[0], { status: 'failed', error: 'device disconnected' });

    await until(() => one.device('linux-1')?.status === 'disconnected');
  });

  test('has not failed when its connection is cut soon after its return, however long it was away', async () => {
    server.behaviour.register = 'refuse';
    const one = relay();
    await one.addDevice('linux-1', server.url, { maxRetries: 1 });
    await until(() => server.registrations().length > 1);
    server.behaviour.register = 'confirm';
    await until(() => one.device('linux-1')?.status === 'idle');
    server.cut();
    await until(() => one.device('linux-1')?.status !== 'idle');
    await until(() => one.device('linux-1')?.status === 'idle');

    expect(statuses(one)).not.toContain('failed');
  });

  test('keeps its queue, and works it off on its return', async () => {
    server.behaviour.register = 'refuse';
    const one = relay();
    await one.addDevice('linux-1', server.url);
    await until(() => one.device('linux-1')?.status === 'disconnected');
    await one.createRun(aPlan(['a']));
    expect(one.task('a')?.attempts[0]?.state.phase).toBe('queued');

    server.behaviour.register = 'confirm';
    await until(() => one.task('a')?.attempts[0]?.state.phase === 'accepted');
  });

  test('refuses a refresh with the reason, and refreshes on its return when asked to', async () => {
    server.behaviour.register = 'refuse';
    const one = relay();
    await one.addDevice('linux-1', server.url);
    await until(() => one.device('linux-1')?.status === 'disconnected');
    const refresh = { type: 'device-refresh', deviceId: deviceId('linux-1') } as const;

    expect(await one.send({ ...refresh, when: 'now' })).toMatchObject({ refusal: { code: 'device-offline' } });
    await one.send({ ...refresh, when: 'on-return' });
    expect(one.device('linux-1')?.refresh.phase).toBe('waiting-for-return');
    server.behaviour.register = 'confirm';
    await until(() => one.device('linux-1')?.refresh.phase === 'none');

    expect(one.device('linux-1')?.info?.info).toEqual(server.info);
  });

  test('a refresh that nobody answers says so', async () => {
    const one = await idleRelay({ linkTiming: { infoMs: 100, presenceMs: 3_600_000 } });
    server.behaviour.info = 'nothing';
    await one.send({ type: 'device-refresh', deviceId: deviceId('linux-1'), when: 'now' });
    await until(() => one.device('linux-1')?.refresh.phase === 'failed');

    expect(one.device('linux-1')?.status).toBe('idle');
  });

  test('a server that is not there makes it failed after max_retries, and a new address is tried at once', async () => {
    const one = relay();
    await server.stop();
    undo.shift();
    await one.addDevice('linux-1', server.url, { maxRetries: 1 });
    await until(() => one.device('linux-1')?.status === 'failed');
    expect(one.device('linux-1')?.statusReason).toMatch(
      /^Cannot connect to ws:\/\/127\.0\.0\.1:\d+: nothing listens there/,
    );

    const back = await startFakeDeviceServer();
    undo.push(() => back.stop());
    await one.send({ type: 'device-edit', deviceId: deviceId('linux-1'), patch: { serverUrl: back.url } });
    await until(() => one.device('linux-1')?.status === 'idle');
  });

  test('a failed device is tried at once when somebody asks for it', async () => {
    server.behaviour.register = 'nothing';
    const one = relay({ linkTiming: { registerMs: 50 } });
    await one.addDevice('linux-1', server.url, { maxRetries: 0 });
    await until(() => one.device('linux-1')?.status === 'failed');

    server.behaviour.register = 'confirm';
    await one.send({ type: 'device-reconnect', deviceId: deviceId('linux-1') });
    await until(() => one.device('linux-1')?.status === 'idle');
  });

  test('a refresh asked while a task is unacknowledged waits, and fails with that reason', async () => {
    server.behaviour.task = 'nothing';
    const one = await idleRelay({ linkTiming: { admissionMs: 200 } });
    await one.createRun(aPlan(['a']));
    await until(() => server.tasks().length === 1);
    await one.send({ type: 'device-refresh', deviceId: deviceId('linux-1'), when: 'now' });
    await until(() => one.device('linux-1')?.refresh.phase === 'failed');

    expect(one.device('linux-1')?.refresh).toMatchObject({ reason: expect.stringContaining('not acknowledged') });
    await server.endTask(server.tasks()[0]);
    await until(() => one.run()?.state === 'completed');
  });

  test('a wrong token is failed at once and says so', async () => {
    const http = createServer((_request, response) => response.writeHead(403).end());
    http.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'));
    const port = await listen(http);
    undo.push(() => http.close());
    const one = relay();
    await one.addDevice('linux-1', `ws://127.0.0.1:${port}/ws?token=hunter2`);
    await until(() => one.device('linux-1')?.status === 'failed');

    expect(one.device('linux-1')?.statusReason).toMatch(/refused the credentials/);
    expect(one.device('linux-1')?.statusReason).not.toContain('hunter2');
  });

  test('is not connected when it is not to be, and disconnects when that is wanted', async () => {
    const one = relay();
    await one.addDevice('linux-1', server.url, { autoConnect: false });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.registrations()).toEqual([]);

    const edit = { type: 'device-edit', deviceId: deviceId('linux-1') } as const;
    await one.send({ ...edit, patch: { autoConnect: true } });
    await until(() => one.device('linux-1')?.status === 'idle');
    await one.send({ ...edit, patch: { autoConnect: false } });
    await until(() => one.device('linux-1')?.status === 'disconnected');
    expect(one.device('linux-1')?.statusReason).toBe('not connected on purpose');
    await until(() => server.open.size === 0);
  });

  test('a removed device is let go of', async () => {
    const one = await idleRelay();
    await one.send({ type: 'device-remove', deviceId: deviceId('linux-1') });
    await until(() => server.open.size === 0);

    expect(one.device('linux-1')).toBeUndefined();
  });
});
