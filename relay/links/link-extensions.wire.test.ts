import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import type { DeviceClientOptions } from '@/lib/aip/endpoints/device-client-types';
import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import type { TaskAgent } from '@/lib/aip/endpoints/task-agent';
import { aPlan, aStar } from '@/lib/constellation/testing/a-plan';
import { runStream } from '@/lib/relay-protocol/streams';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';
import { createNodeTransport } from '@/relay/net/node-socket';
import { startLoopback } from '@/relay/net/testing/loopback';
import type { RelayCoreOptions } from '@/relay/runtime/create-relay-core';
import { type ACore, aCore, aDataDir, until } from '@/relay/runtime/testing/a-core';
import { RUN_1, taskId } from '@/relay/runtime/testing/a-runtime';
import { type FakeDeviceServer, startFakeDeviceServer } from './testing/fake-device-server';

const undo: (() => unknown)[] = [];
const ports = { clock: createNodeClock(), random: createNodeRandom(), logger: silentLogger };

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function relayOf(url: string, options: Partial<RelayCoreOptions> = {}): Promise<ACore> {
  const dir = aDataDir();
  const one = aCore(dir.path, options);
  undo.push(dir.remove, () => one.core.close());
  await one.addDevice('linux-1', url);
  await until(() => one.device('linux-1')?.status === 'idle');
  return one;
}

const phaseOf = (one: ACore, id: string) => one.task(id)?.attempts[0]?.state.phase;
const outputOf = (one: ACore, id: string, after = 0) => one.core.runtime.taskOutput(RUN_1, taskId(id), after);
const cancel = (one: ACore, id: string) => one.send({ type: 'task-cancel', runId: RUN_1, taskId: taskId(id) });
const endsOf = (one: ACore) =>
  one.core.runtime
    .readAfter(runStream(RUN_1), 0, 1_000)
    .map(({ event }) => event.type)
    .filter((type) => type === 'attempt-ended' || type === 'attempt-lost' || type === 'attempt-strayed');

describe('a server that agreed to all', () => {
  const agent: TaskAgent = {
    async run(session) {
      const [result] = await session.execute([{ toolName: session.request, parameters: {}, toolType: 'action' }]);
      if (result?.status === 'success') return { status: 'completed', result: result.result ?? null };
      return { status: 'failed', result: null, error: result?.error ?? 'failed' };
    },
  };
  const asksFor = (name: string) => (request: string) => request.includes(`Do ${name}`);

  /** A device whose task `a` prints and waits until it is stopped; any other task is done at once. */
  async function aWorld(options: Partial<DeviceClientOptions> = {}) {
    const server = createDeviceServerEndpoint({ ...ports, agent, timing: { deadlineGraceMs: 50 } });
    let connections = 0;
    const loopback = await startLoopback({
      onTransport: (transport) => {
        connections += 1;
        void server.handleWebSocket(transport);
      },
    });
    undo.push(() => server.close().then(() => loopback.stop()));
    const device = createDeviceClientEndpoint({
      ...ports,
      createTransport: () => createNodeTransport({ url: loopback.url }),
      clientId: 'linux-1',
      platform: 'linux',
      systemInfo: async () => ({ platform: 'linux' }),
      async execute({ tool_name }, { cancellation, onOutput }) {
        if (!asksFor('a')(tool_name)) return { status: 'success', result: 'done' };
        onOutput('begun');
        await new Promise<void>((resolve) => cancellation.onCancelled(resolve));
        return { status: 'failure', error: 'stopped' };
      },
      ...options,
    });
    await device.start();
    undo.push(() => device.stop());
    return { url: loopback.url, connections: () => connections };
  }

  test('shows what a task prints while it runs', async () => {
    const { url } = await aWorld();
    const one = await relayOf(url);
    await one.createRun(aPlan(['a']));
    await until(() => outputOf(one, 'a')?.lines.length === 1);

    expect(phaseOf(one, 'a')).toBe('accepted');
    expect(outputOf(one, 'a')).toMatchObject({ attempt: 1, isLive: true, lines: ['begun'], nextLine: 1 });
    await until(() => one.core.runtime.registers(runStream(RUN_1)).some(({ key }) => key.startsWith('output/')));
  });

  test('ends the one task that is cancelled, and the next one goes out over the same connection', async () => {
    const { url, connections } = await aWorld();
    const one = await relayOf(url);
    const before = connections();
    await one.createRun(aPlan(['a', 'b']));
    await until(() => outputOf(one, 'a')?.lines.length === 1);

    await cancel(one, 'a');
    await until(() => one.task('b')?.status === 'completed');

    expect(one.task('a')).toMatchObject({ status: 'cancelled', cancelCause: { kind: 'operator' } });
    expect(endsOf(one)).toEqual(['attempt-ended', 'attempt-ended']);
    expect(connections()).toBe(before);
  });

  test('ends a task at its deadline, which counts as timed out, and the link stays', async () => {
    const { url, connections } = await aWorld();
    const one = await relayOf(url);
    const before = connections();
    await one.createRun(aPlan([aStar('a', { timeoutMs: 300 }), 'b']));
    await until(() => one.task('b')?.status === 'completed');

    expect(one.task('a')).toMatchObject({ status: 'failed', failureCause: 'timeout' });
    expect(one.task('a')?.error).toBe('The task timed out after 0.3 s');
    expect(connections()).toBe(before);
  });
});

describe('the wire', () => {
  let server: FakeDeviceServer;
  const ALL = ['device_info', 'log', 'cancel', 'deadline'];

  beforeEach(async () => {
    server = await startFakeDeviceServer();
    undo.push(() => server.stop());
  });

  async function busy(options: Partial<RelayCoreOptions> = {}, plan = aPlan(['a', 'b'])): Promise<ACore> {
    const one = await relayOf(server.url, options);
    await one.createRun(plan);
    await until(() => phaseOf(one, 'a') === 'accepted');
    return one;
  }

  test('announces what the relay makes use of', async () => {
    await relayOf(server.url);

    expect(server.registrations()[0]).toMatchObject({ metadata: { extensions: ALL } });
  });

  test('carries nothing of an extension to a server that agreed to none', async () => {
    const one = await busy();
    await cancel(one, 'a');
    await until(() => phaseOf(one, 'b') === 'accepted');

    expect(server.cancels()).toEqual([]);
    expect(server.registrations()).toHaveLength(2);
    for (const task of server.tasks()) expect(task.metadata).toBeNull();
    expect(outputOf(one, 'b')).toMatchObject({ isLive: false });
  });

  test('carries lines of a server that did not agree to them to nobody', async () => {
    const one = await busy();
    await sayLines(['a line']);
    await server.endTask(server.tasks()[0]);
    await until(() => one.task('a')?.status === 'completed');

    expect(outputOf(one, 'a')?.lines).toEqual([]);
  });

  test('carries the time limit of a task where deadline is agreed, and the server gets time to end it', async () => {
    server.behaviour.extensions = ['deadline'];
    const one = await busy({ linkTiming: { deadlineGraceMs: 60_000 } }, aPlan([aStar('a', { timeoutMs: 200 }), 'b']));
    expect(server.tasks()[0]).toMatchObject({ metadata: { timeout_seconds: 0.2 } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(one.task('a')?.status).toBe('running');

    await endFailed({ error: 'The task timed out after 0.2 s', result: { failure: 'x', error_type: 'timeout' } });
    await until(() => phaseOf(one, 'b') === 'accepted');

    expect(one.task('a')).toMatchObject({ failureCause: 'timeout', error: 'The task timed out after 0.2 s' });
    expect(server.registrations()).toHaveLength(1);
  });

  test('asks for the end of a task that the server did not end in time', async () => {
    server.behaviour.extensions = ['deadline', 'cancel'];
    const one = await busy({ linkTiming: { deadlineGraceMs: 50 } }, aPlan([aStar('a', { timeoutMs: 100 }), 'b']));
    await until(() => server.cancels().length === 1);
    await endFailed({ error: 'ended', result: null });
    await until(() => phaseOf(one, 'b') === 'accepted');

    expect(one.task('a')).toMatchObject({ status: 'failed', failureCause: 'timeout' });
    expect(server.registrations()).toHaveLength(1);
  });

  describe('while a cancel waits for the end of its task', () => {
    beforeEach(() => {
      server.behaviour.extensions = ['cancel'];
    });

    async function cancelling(options: Partial<RelayCoreOptions> = {}, plan = aPlan(['a', 'b'])): Promise<ACore> {
      const one = await busy(options, plan);
      await cancel(one, 'a');
      await until(() => server.cancels().length === 1);
      return one;
    }

    test('it asks once with the session of the task, also when it is cancelled again', async () => {
      const one = await cancelling({}, aPlan(['a']));
      await cancel(one, 'a');
      await one.send({ type: 'run-cancel', runId: RUN_1 });
      await endFailed({});
      await until(() => one.task('a')?.status === 'cancelled');

      const [task] = server.tasks();
      expect(server.cancels()).toMatchObject([{ session_id: task?.session_id, status: 'failed' }]);
      expect(endsOf(one)).toEqual(['attempt-ended']);
      expect(server.registrations()).toHaveLength(1);
    });

    test('nothing else is sent to the device', async () => {
      const one = await cancelling();
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(server.tasks()).toHaveLength(1);

      await endFailed({});
      await until(() => phaseOf(one, 'b') === 'accepted');
    });

    test('a task that was faster leaves what it returned beside the cancel', async () => {
      const one = await cancelling();
      await server.endTask(server.tasks()[0]);
      await until(() => phaseOf(one, 'b') === 'accepted');

      expect(one.task('a')?.status).toBe('cancelled');
      expect(one.task('a')?.attempts[0]?.strays).toMatchObject([{ outcome: 'completed' }]);
      expect(server.registrations()).toHaveLength(1);
    });

    test('a server that says nothing loses the connection, and the next task goes out on a new one', async () => {
      const one = await cancelling({ linkTiming: { cancelMs: 50 } });
      await until(() => phaseOf(one, 'b') === 'accepted');

      expect(one.task('a')?.status).toBe('cancelled');
      expect(endsOf(one)).toEqual(['attempt-ended']);
      expect(server.registrations()).toHaveLength(2);
    });

    test('a lost connection ends it as cancelled, once', async () => {
      const one = await cancelling();
      server.cut();
      await until(() => phaseOf(one, 'b') === 'accepted');

      expect(one.task('a')?.status).toBe('cancelled');
      expect(endsOf(one)).toEqual(['attempt-ended']);
    });
  });

  test('lines of a task that is not under way change nothing', async () => {
    server.behaviour.extensions = ['log'];
    const one = await busy();
    await sayLines(['foreign'], 'another');
    await sayLines(['own']);
    await until(() => outputOf(one, 'a')?.lines.length === 1);

    expect(outputOf(one, 'a')?.lines).toEqual(['own']);
  });

  function sayLines(messages: readonly string[], session: unknown = server.tasks()[0]?.session_id): Promise<void> {
    const frame = { type: 'heartbeat', status: 'continue', timestamp: 'x', response_id: 'r' };
    return server.send({ ...frame, session_id: session, messages });
  }

  function endFailed(end: Record<string, unknown>): Promise<void> {
    return server.endTask(server.tasks()[0], { status: 'failed', result: null, error: 'ended', ...end });
  }
});
