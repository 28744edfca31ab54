import { expect, test } from 'vitest';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { aPlan } from '@/lib/constellation/testing/a-plan';
import { FLEET_STREAM, RUNS_STREAM, runStream } from '@/lib/relay-protocol/streams';
import type { RunReport } from '@/lib/run/commands';
import { commandIdSchema } from '@/lib/std/ids';
import type { Engine } from '@/relay/engine/engine';
import { EngineError } from '@/relay/engine/engine-error';
import { createMemoryEngine } from '@/relay/engine/memory-engine';
import { seededRandom } from '@/relay/engine/testing/seeded-random';
import type { Committed } from './runtime-port';
import { type ARuntime, aDraft, aRuntime, BOB, deviceId, RUN_1, taskId } from './testing/a-runtime';

function ended(id: string, attempt = 1): RunReport {
  return {
    type: 'attempt-ended',
    runId: RUN_1,
    taskId: taskId(id),
    attempt,
    outcome: 'completed',
    result: { kind: 'inline', value: 'done' },
    error: null,
    cause: null,
  };
}

async function sent({ links }: ARuntime, id: string, attempt = 1) {
  await links.host.report({ type: 'attempt-sending', runId: RUN_1, taskId: taskId(id), attempt });
  await links.host.report({ type: 'attempt-accepted', runId: RUN_1, taskId: taskId(id), attempt });
}

function eventTypes({ runtime }: ARuntime, stream = runStream(RUN_1)): string[] {
  return runtime.readAfter(stream, 0, 1_000).map(({ event }) => event.type);
}

test('a run is driven to its end without anybody looking', async () => {
  const one = aRuntime();
  await one.addDevice('linux-1');
  await one.createRun();

  await sent(one, 'a');
  await one.links.host.report(ended('a'));
  await sent(one, 'b');
  await one.links.host.report(ended('b'));

  expect(one.runtime.run(RUN_1)?.state).toBe('completed');
  expect(one.links.told).toEqual(['add linux-1', 'enqueue a#1 on linux-1', 'enqueue b#1 on linux-1']);
  expect(one.runtime.runSummaries().map(({ state }) => state)).toEqual(['completed']);
});

test('nothing is answered, published or sent before it is on disk', async () => {
  const idle: (() => void)[] = [];
  const one = aRuntime({ whenIdle: (step) => idle.push(step) });
  const published: Committed[] = [];
  one.runtime.onCommitted((committed) => published.push(...committed));
  let isAnswered = false;
  const answer = one.addDevice('linux-1').then(() => {
    isAnswered = true;
  });
  await settle();

  expect(isAnswered).toBe(false);
  expect(published).toEqual([]);
  expect(one.links.told).toEqual([]);
  expect(one.runtime.fleet().devices.size).toBe(0);
  expect(one.runtime.head(FLEET_STREAM).number).toBe(0);

  for (const step of idle.splice(0)) step();
  await answer;
  expect(published.map(({ event }) => event.type)).toEqual(['device-added']);
  expect(one.links.told).toEqual(['add linux-1']);
  expect(one.runtime.fleet().devices.size).toBe(1);
});

test('what comes in while the loop is busy shares one batch', async () => {
  const batches: number[] = [];
  const clock = createFakeClock();
  const engine = createMemoryEngine({ clock, random: seededRandom(5) });
  const counting: Engine = {
    ...engine,
    append(batch) {
      batches.push(batch.events.length);
      return engine.append(batch);
    },
  };
  const one = aRuntime({ engine: counting, clock });

  await Promise.all(Array.from({ length: 50 }, (_, index) => one.addDevice(`linux-${index}`)));

  expect(batches).toEqual([50]);
  expect(one.runtime.head(FLEET_STREAM).number).toBe(50);
});

test('under load a batch is closed after a millisecond, even if the loop never becomes idle', async () => {
  const one = aRuntime({ whenIdle: () => {} });
  const first = one.addDevice('linux-1');
  await one.clock.advance(1);
  const second = one.addDevice('linux-2');

  expect((await first).status).toBe('accepted');
  expect((await second).status).toBe('accepted');
});

test('the same command id of the same person is done once and answered alike', async () => {
  const one = aRuntime();
  const commandId = commandIdSchema.parse('only-once');
  const command = { type: 'device-add', device: aDraft('linux-1', 'ws://127.0.0.1/ws') } as const;

  const [first, second] = await Promise.all([one.send(command, { commandId }), one.send(command, { commandId })]);
  const third = await one.send(command, { commandId });

  expect(first).toMatchObject({ status: 'accepted', positions: [{ stream: 'fleet', number: 1 }] });
  expect(second).toMatchObject({ status: 'duplicate', positions: [{ stream: 'fleet', number: 1 }] });
  expect(third).toEqual(second);
  expect(await one.send(command, { commandId, actor: BOB })).toMatchObject({
    status: 'rejected',
    refusal: { code: 'device-exists' },
  });
});

test('the same id for another command is a conflict, and a refusal is remembered too', async () => {
  const one = aRuntime();
  const commandId = commandIdSchema.parse('only-once');
  const remove = { type: 'device-remove', deviceId: deviceId('linux-1') } as const;

  expect(await one.send(remove, { commandId })).toMatchObject({ refusal: { code: 'device-unknown' } });
  await one.addDevice('linux-1');

  expect(await one.send(remove, { commandId })).toMatchObject({ refusal: { code: 'device-unknown' } });
  expect(await one.send({ type: 'device-remove', deviceId: deviceId('linux-2') }, { commandId })).toMatchObject({
    refusal: { code: 'conflict' },
  });
});

test('verdicts survive a restart and are forgotten after a day', async () => {
  const clock = createFakeClock();
  const engine = createMemoryEngine({ clock, random: seededRandom(5) });
  const commandId = commandIdSchema.parse('only-once');
  const command = { type: 'device-add', device: aDraft('linux-1', 'ws://127.0.0.1/ws') } as const;
  await aRuntime({ engine, clock }).send(command, { commandId });

  const again = aRuntime({ engine, clock });
  expect((await again.send(command, { commandId })).status).toBe('duplicate');
  await clock.advance(24 * 60 * 60 * 1_000);
  expect((await again.send(command, { commandId })).status).toBe('rejected');
});

test('a command that comes after its deadline is refused', async () => {
  const one = aRuntime();
  const verdict = await one.send(
    { type: 'device-add', device: aDraft('linux-1', 'ws://127.0.0.1/ws') },
    { deadlineMs: one.clock.now() - 1 },
  );

  expect(verdict).toMatchObject({ status: 'rejected', refusal: { code: 'expired' } });
  expect(one.runtime.fleet().devices.size).toBe(0);
});

test('a failed commit stores nothing, closes the links, takes no more and ends the process', async () => {
  const clock = createFakeClock();
  const engine = createMemoryEngine({ clock, random: seededRandom(5), eventsMax: 2 });
  const one = aRuntime({ engine, clock });
  await one.addDevice('linux-1');

  const lost = await Promise.allSettled([one.addDevice('linux-2'), one.addDevice('linux-3')]);

  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(one.fatal).toHaveLength(1);
  expect(one.fatal[0]).toBeInstanceOf(EngineError);
  expect(one.links.told).toEqual(['add linux-1', 'close']);
  expect(one.runtime.isReady()).toBe(false);
  expect([...one.runtime.fleet().devices.keys()]).toEqual(['linux-1']);
  await expect(one.addDevice('linux-4')).rejects.toBeInstanceOf(EngineError);
});

test('a listener that throws takes nothing from the others', async () => {
  const one = aRuntime();
  const heard: string[] = [];
  one.runtime.onCommitted(() => {
    throw new Error('mine alone');
  });
  one.runtime.onCommitted((committed) => heard.push(...committed.map(({ event }) => event.type)));

  await one.addDevice('linux-1');

  expect(heard).toEqual(['device-added']);
});

test('the list of runs gets one new row per batch in which a run changed', async () => {
  const one = aRuntime();
  await one.addDevice('linux-1');
  await one.createRun();
  await sent(one, 'a');

  const rows = one.runtime.readAfter(RUNS_STREAM, 0, 100).map(({ event }) => event);
  expect(rows).toHaveLength(2);
  expect(rows.at(-1)).toMatchObject({ summary: { counts: { running: 1, pending: 1 } } });
});

test('an unknown device on a launch at once stores nothing', async () => {
  const one = aRuntime();
  const verdict = await one.createRun();

  expect(verdict).toMatchObject({ status: 'rejected', refusal: { code: 'device-unknown' } });
  expect(one.runtime.run(RUN_1)).toBeUndefined();
  expect(one.runtime.hasStream(runStream(RUN_1))).toBe(false);
  expect(one.runtime.runSummaries()).toEqual([]);
});

test('after a restart attempts that may have left are lost, and those that certainly did not are queued again', async () => {
  const clock = createFakeClock();
  const engine = createMemoryEngine({ clock, random: seededRandom(5) });
  const before = aRuntime({ engine, clock });
  await before.addDevice('linux-1');
  await before.createRun(aPlan(['a', 'b', 'c']));
  await sent(before, 'a');

  const after = aRuntime({ engine, clock });
  const run = after.runtime.run(RUN_1);

  expect(run?.tasks.get(taskId('a'))).toMatchObject({
    status: 'failed',
    failureCause: 'outcome-unknown',
    error: 'outcome unknown: the relay restarted while the task was under way',
  });
  expect(after.links.told).toEqual(['add linux-1', 'enqueue b#1 on linux-1', 'enqueue c#1 on linux-1']);
  expect(after.links.orders.map(({ sessionId }) => sessionId)).toEqual(
    before.links.orders.slice(1).map(({ sessionId }) => sessionId),
  );
});

test('a run whose every attempt was lost is brought to its end at the start', async () => {
  const clock = createFakeClock();
  const engine = createMemoryEngine({ clock, random: seededRandom(5) });
  const before = aRuntime({ engine, clock });
  await before.addDevice('linux-1');
  await before.createRun(aPlan(['a', 'b'], [['a', 'b', 'success_only']]));
  await sent(before, 'a');

  const after = aRuntime({ engine, clock });

  expect(after.runtime.run(RUN_1)?.state).toBe('failed');
  expect(eventTypes(after).slice(-4)).toEqual(['attempt-lost', 'task-failed', 'task-cancelled', 'run-ended']);
});

test('devices are away and questions to them are answered at the start', async () => {
  const clock = createFakeClock();
  const engine = createMemoryEngine({ clock, random: seededRandom(5) });
  const before = aRuntime({ engine, clock });
  await before.addDevice('linux-1');
  await before.links.host.tell(deviceId('linux-1'), [
    { type: 'status', status: 'idle', reason: null, connectionAttempts: 0 },
  ]);
  await before.send({ type: 'device-refresh', deviceId: deviceId('linux-1'), when: 'now' });
  expect(before.links.told).toContain('refresh linux-1');

  const device = aRuntime({ engine, clock }).runtime.fleet().devices.get(deviceId('linux-1'));

  expect(device).toMatchObject({ status: 'disconnected', refresh: { phase: 'failed' } });
});

test('state after a restart equals state before, with and without snapshots', async () => {
  const clock = createFakeClock();
  const engine = createMemoryEngine({ clock, random: seededRandom(5) });
  const one = aRuntime({ engine, clock });
  await one.addDevice('linux-1');
  await one.createRun(aPlan(['a']));
  for (let attempt = 1; attempt <= 200; attempt += 1) {
    await sent(one, 'a', attempt);
    await one.links.host.report({ ...ended('a', attempt), outcome: 'failed', error: 'no' } as RunReport);
    await one.send({ type: 'task-retry', runId: RUN_1, taskId: taskId('a') });
  }
  await sent(one, 'a', 201);
  await one.links.host.report(ended('a', 201));
  const live = one.runtime.snapshot(runStream(RUN_1));

  expect(engine.loadSnapshot(runStream(RUN_1))).toBeDefined();
  expect(engine.loadSnapshot(RUNS_STREAM)).toBeDefined();
  const again = aRuntime({ engine, clock }).runtime;
  expect(again.snapshot(runStream(RUN_1))).toEqual(live);
  expect(again.runSummaries()).toEqual(one.runtime.runSummaries());
});

test('a cancelled attempt that waits in a queue is withdrawn, one under way is cancelled on its link', async () => {
  const one = aRuntime();
  await one.addDevice('linux-1');
  await one.createRun(aPlan(['a', 'b']));
  await sent(one, 'a');
  await one.send({ type: 'task-cancel', runId: RUN_1, taskId: taskId('a') });
  await one.send({ type: 'task-cancel', runId: RUN_1, taskId: taskId('b') });

  expect(one.links.told.slice(-2)).toEqual(['cancel a#1', 'withdraw b#1 from linux-1']);
});

test('a result over a mebibyte lies beside the journal', async () => {
  const one = aRuntime();
  const small = 'x'.repeat(1_000_000);
  const large = 'x'.repeat(1_100_000);

  expect(one.links.host.keepResult(small)).toEqual({ kind: 'inline', value: small });
  const kept = one.links.host.keepResult(large);

  if (kept.kind !== 'blob') throw new Error('expected a blob');
  expect(kept.sizeBytes).toBe(1_100_002);
  const stored = one.engine.blobs.get(kept.handle);
  expect(JSON.parse(Buffer.from(stored?.bytes ?? []).toString())).toBe(large);
});

test('a heartbeat is a register, told at most every five seconds and never a numbered event', async () => {
  const one = aRuntime();
  await one.addDevice('linux-1');
  const values: unknown[] = [];
  one.runtime.onRegister((register) => values.push(register.value));

  for (const atMs of [0, 1_000, 4_999, 5_000, 9_000]) one.links.host.heard(deviceId('linux-1'), atMs);

  expect(values).toEqual([0, 5_000]);
  expect(one.runtime.lastHeardAtMs(deviceId('linux-1'))).toBe(9_000);
  expect(one.runtime.registers(FLEET_STREAM)).toMatchObject([{ key: 'heard/linux-1', value: 5_000 }]);
  expect(one.runtime.head(FLEET_STREAM).number).toBe(1);
});

test('a device that has been away for too long is removed with a journal entry, over restarts', async () => {
  const clock = createFakeClock();
  const engine = createMemoryEngine({ clock, random: seededRandom(5) });
  const before = aRuntime({ engine, clock, forgetAfterMs: 600_000 });
  await before.addDevice('linux-1');
  await before.addDevice('local');
  await before.addDevice('linux-2');
  await clock.advance(400_000);
  const idle = { type: 'status', status: 'idle', reason: null, connectionAttempts: 0 } as const;
  await before.links.host.tell(deviceId('linux-2'), [idle]);
  await before.links.host.tell(deviceId('linux-2'), [{ ...idle, status: 'disconnected', reason: 'gone' }]);
  await before.runtime.close();

  const after = aRuntime({ engine, clock, forgetAfterMs: 600_000 });
  await clock.advance(250_000);

  expect([...after.runtime.fleet().devices.keys()]).toEqual(['local', 'linux-2']);
  const removed = after.runtime.readAfter(FLEET_STREAM, 0, 100).map(({ event }) => event);
  expect(removed).toContainEqual(
    expect.objectContaining({ type: 'device-removed', deviceId: 'linux-1', reason: 'removed by relay' }),
  );
});

test('a run that cannot be planned is cancelled with the reason on it, and a retry goes on', async () => {
  const sound = seededRandom(11);
  let isFaulty = false;
  const hex = (bytes: number) => {
    if (isFaulty) throw new Error('no randomness');
    return sound.hex(bytes);
  };
  const one = aRuntime({ random: { ...sound, hex } });
  await one.addDevice('linux-1');
  await one.createRun();
  await sent(one, 'a');

  isFaulty = true;
  await one.links.host.report(ended('a'));

  const stopped = one.runtime.run(RUN_1);
  expect(stopped?.state).toBe('cancelled');
  expect(stopped?.cancelAsked).toMatchObject({
    actor: 'relay',
    reason: expect.stringContaining('the relay has a fault'),
  });
  expect(stopped?.tasks.get(taskId('a'))?.status).toBe('completed');
  expect(stopped?.tasks.get(taskId('b'))?.error).toContain('retry a task to go on');
  isFaulty = false;
  await one.send({ type: 'task-retry', runId: RUN_1, taskId: taskId('b') });
  expect(one.runtime.run(RUN_1)).toMatchObject({ state: 'executing', cancelAsked: null });
  expect(one.links.told.at(-1)).toBe('enqueue b#1 on linux-1');
});

test('closing takes no more commands and closes the links', async () => {
  const one = aRuntime();
  await one.runtime.close();

  await expect(one.addDevice('linux-1')).rejects.toThrow(/takes no more commands/);
  expect(one.links.told).toEqual(['close']);
  expect(one.runtime.isReady()).toBe(false);
});
