import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import type { TaskAgent } from '@/lib/aip/endpoints/task-agent';
import { aPlan, aStar } from '@/lib/constellation/testing/a-plan';
import { FLEET_STREAM, RUNS_STREAM, runStream } from '@/lib/relay-protocol/streams';
import { silentLogger } from '@/lib/std/logger';
import { startFakeDeviceServer } from '@/relay/links/testing/fake-device-server';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';
import { createNodeTransport } from '@/relay/net/node-socket';
import { startLoopback } from '@/relay/net/testing/loopback';
import { type ACore, aCore, aDataDir, until } from './testing/a-core';
import { deviceId, RUN_1, taskId } from './testing/a-runtime';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const SECRET = 'canary-7f3a9c';
const clock = createNodeClock();
const random = createNodeRandom();

/** `wait` holds the task until the device is gone; anything else ends with what one command returned. */
const agent: TaskAgent = {
  async run(session) {
    const [, description = ''] = /^Task Description: (.*)/.exec(session.request) ?? [];
    const results = await session.execute([
      { toolName: description === 'wait' ? 'wait' : 'echo', parameters: { text: description }, toolType: 'action' },
    ]);
    const [result] = results;
    if (result?.status !== 'success') return { status: 'failed', result: null, error: result?.error ?? 'no answer' };
    return { status: 'completed', result: [{ request: description, result: result.result ?? null }] };
  },
};

async function deviceSide() {
  const endpoint = createDeviceServerEndpoint({ clock, random, logger: silentLogger, agent });
  const loopback = await startLoopback({ onTransport: (transport) => void endpoint.handleWebSocket(transport) });
  undo.push(() => loopback.stop());
  const url = `${loopback.url}?token=${SECRET}`;
  let load = 0;

  function startDevice(id: string): () => Promise<void> {
    const device = createDeviceClientEndpoint({
      createTransport: () => createNodeTransport({ url }),
      clock,
      random,
      logger: silentLogger,
      clientId: id,
      platform: 'linux',
      extensions: ['device_info'],
      async systemInfo() {
        load += 1;
        return { device_id: id, platform: 'linux', load };
      },
      async execute(command, { cancellation }) {
        if (command.tool_name === 'wait') await new Promise<void>((resolve) => cancellation.onCancelled(resolve));
        return {
          status: 'success',
          result: { echo: command.parameters?.text ?? null },
          ...(command.call_id !== undefined && { call_id: command.call_id }),
        };
      },
    });
    device.start().catch(() => {}); // some are stopped before they get in
    undo.push(device.stop);
    return device.stop;
  }

  return { url, startDevice };
}

function relay(dataDir?: string): ACore {
  const dir = dataDir === undefined ? aDataDir() : undefined;
  const one = aCore(dataDir ?? dir?.path ?? '');
  undo.push(
    () => dir?.remove(),
    () => one.core.close(),
  );
  return one;
}

/** What a power cut leaves: the files as they are at this moment, with the process still writing. */
function afterPowerCut(one: ACore): string {
  const dir = aDataDir();
  undo.push(dir.remove);
  cpSync(one.dataDir, dir.path, { recursive: true });
  return dir.path;
}

async function withDevices(one: ACore, url: string, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => one.addDevice(id, url)));
  await until(() => ids.every((id) => one.device(id)?.status === 'idle'));
}

test('a run of several tasks on several devices ends with their results', async () => {
  const { url, startDevice } = await deviceSide();
  for (const id of ['linux-1', 'linux-2']) startDevice(id);
  const one = relay();
  await withDevices(one, url, ['linux-1', 'linux-2']);

  await one.createRun(
    aPlan(
      [aStar('a'), aStar('b', { targetDeviceId: 'linux-2' }), aStar('c')],
      [
        ['a', 'c'],
        ['b', 'c'],
      ],
    ),
  );
  await until(() => one.run()?.state === 'completed');

  expect(one.task('c')?.result).toEqual({
    kind: 'inline',
    value: [{ request: 'Do c', result: { echo: 'Do c' } }],
  });
  expect(one.core.runtime.runSummaries()).toMatchObject([{ state: 'completed', counts: { completed: 3 } }]);
});

test('a refresh brings what the device says now', async () => {
  const { url, startDevice } = await deviceSide();
  startDevice('linux-1');
  const one = relay();
  await withDevices(one, url, ['linux-1']);
  const before = one.device('linux-1')?.info;

  await one.send({ type: 'device-refresh', deviceId: deviceId('linux-1'), when: 'now' });
  await until(() => one.device('linux-1')?.refresh.phase === 'none');
  const after = one.device('linux-1')?.info;

  expect(after?.origin).toBe('device');
  expect(Number(after?.info.load)).toBeGreaterThan(Number(before?.info.load));
  expect(after?.collectedAtMs).toBeGreaterThanOrEqual(after?.askedAtMs ?? Number.POSITIVE_INFINITY);
});

test('a device that dies in a task fails that task, the rest goes on, and a retry after its return completes the run', async () => {
  const { url, startDevice } = await deviceSide();
  const kill = startDevice('linux-1');
  startDevice('linux-2');
  const one = relay();
  await withDevices(one, url, ['linux-1', 'linux-2']);
  const plan = aPlan(
    [aStar('a', { description: 'wait' }), 'b', aStar('c', { targetDeviceId: 'linux-2' })],
    [['a', 'b', 'success_only']],
  );
  await one.createRun(plan);
  await until(() => one.task('a')?.attempts[0]?.state.phase === 'accepted');

  await kill();
  await until(() => one.run()?.state === 'partially_failed');
  expect(one.task('a')).toMatchObject({ status: 'failed', failureCause: 'device' });
  expect(one.task('b')).toMatchObject({ status: 'cancelled', cancelCause: { kind: 'blocked' } });
  expect(one.task('c')?.status).toBe('completed');
  await until(() => one.device('linux-1')?.status === 'disconnected');

  startDevice('linux-1');
  await until(() => one.device('linux-1')?.status === 'idle');
  await one.send({ type: 'task-retry', runId: RUN_1, taskId: taskId('a') });
  await until(() => one.task('a')?.attempts[1]?.state.phase === 'accepted');
  await one.send({ type: 'task-cancel', runId: RUN_1, taskId: taskId('a') });
  await until(() => one.task('a')?.status === 'cancelled');
});

test('after a crash nothing of the journal is missing, what was under way is lost and nothing is sent twice', async () => {
  const server = await startFakeDeviceServer();
  undo.push(() => server.stop());
  const one = relay();
  await withDevices(one, server.url, ['linux-1']);
  await one.createRun(aPlan(['a', 'b']));
  await until(() => one.task('a')?.attempts[0]?.state.phase === 'accepted');
  const journal = [FLEET_STREAM, RUNS_STREAM, runStream(RUN_1)].map((stream) =>
    one.core.runtime.readAfter(stream, 0, 1_000),
  );

  const again = relay(afterPowerCut(one));
  await until(() => again.task('b')?.attempts[0]?.state.phase === 'accepted');

  const kept = [FLEET_STREAM, RUNS_STREAM, runStream(RUN_1)].map((stream) =>
    again.core.runtime.readAfter(stream, 0, 1_000),
  );
  for (const [index, events] of journal.entries()) expect(kept[index]?.slice(0, events.length)).toEqual(events);
  expect(again.task('a')).toMatchObject({
    status: 'failed',
    failureCause: 'outcome-unknown',
    attempts: [{ number: 1 }],
  });
  const sessions = server.tasks().map(({ session_id }) => session_id);
  expect(sessions).toHaveLength(2);
  expect(new Set(sessions).size).toBe(2);
});

test('at whatever moment of a run the power is cut, every task ends after the next start', async () => {
  const { url, startDevice } = await deviceSide();
  startDevice('linux-1');
  const one = relay();
  await withDevices(one, url, ['linux-1']);
  const cuts: string[] = [];
  one.core.runtime.onCommitted(() => {
    if (cuts.length < 12) cuts.push(afterPowerCut(one));
  });
  await one.createRun(aPlan(['a', 'b'], [['a', 'b', 'completion_only']]));
  await until(() => one.run()?.state === 'completed');
  await one.core.close();

  for (const dataDir of cuts) {
    const again = aCore(dataDir);
    const wasStored = again.run() !== undefined;
    await until(() => !wasStored || (again.run()?.endedAtMs ?? null) !== null);
    const attempts = [...(again.run()?.tasks.values() ?? [])].flatMap((task) => task.attempts);
    expect(attempts.every(({ state }) => state.phase === 'ended' || state.phase === 'lost')).toBe(true);
    expect(new Set(attempts.map(({ sessionId }) => sessionId)).size).toBe(attempts.length);
    await again.core.close();
  }
  expect(cuts.length).toBeGreaterThan(3);
});

test('the secret of an address is nowhere in data folder and log, and still connects after a restart', async () => {
  const { url, startDevice } = await deviceSide();
  startDevice('linux-1');
  const one = relay();
  await withDevices(one, url, ['linux-1']);
  await one.addDevice('linux-1', url);
  await one.addDevice('linux-2', `ws://127.0.0.1:1/ws?token=${SECRET}`);
  await one.addDevice('linux-3', `ws://user:${SECRET}@127.0.0.1:1/ws`);
  await one.send({
    type: 'device-edit',
    deviceId: deviceId('linux-1'),
    patch: { serverUrl: `${url}&again=1` },
  });
  await until(() => one.device('linux-2')?.statusReason?.includes('nothing listens'));
  await until(() => one.device('linux-1')?.status === 'idle');

  const again = relay(afterPowerCut(one));
  await until(() => again.device('linux-1')?.status === 'idle');

  for (const core of [one, again]) {
    expect(core.logs.join('')).not.toContain(SECRET);
    for (const name of readdirSync(core.dataDir)) {
      expect(readFileSync(join(core.dataDir, name)).includes(SECRET), name).toBe(false);
    }
  }
});

test('a run with ten thousand events is at hand at once after a start', async () => {
  const server = await startFakeDeviceServer();
  server.behaviour.task = 'refuse';
  undo.push(() => server.stop());
  const one = relay();
  await one.addDevice('linux-1', server.url, { autoConnect: false });
  await one.createRun(aPlan(['a', 'b']));
  const report = { runId: RUN_1, taskId: taskId('a') };
  while (one.core.runtime.head(runStream(RUN_1)).number < 10_000) {
    await Promise.all([one.send({ type: 'task-cancel', ...report }), one.send({ type: 'task-retry', ...report })]);
  }
  await one.core.close();

  const startedMs = Date.now();
  const again = relay(one.dataDir);
  expect(Date.now() - startedMs).toBeLessThan(5_000);
  expect(again.task('a')?.attempts.at(-1)?.state.phase).toBe('queued');
}, 60_000);

test('a data folder in use is refused before anything is touched', () => {
  const one = relay();

  expect(() => relay(one.dataDir)).toThrow(/is in use by another relay/);
});
