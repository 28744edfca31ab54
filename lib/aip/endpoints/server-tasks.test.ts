import { describe, expect, test } from 'vitest';
import {
  aBusyAgent,
  answerTo,
  aPair,
  aServer,
  giveTask,
  joinConstellation,
  joinDevice,
  TASK,
  typesOf,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import { vectorCases } from '@/lib/aip/testing/vectors';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import type { TaskAgent } from './task-agent';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function refusalOf(task: JsonObject, options: Parameters<typeof aPair>[0] = {}) {
  const { constellation } = await aPair(options);
  await constellation.say({ ...TASK, session_id: 's', request: 'one-round', ...task });
  await settle();
  return constellation.heard();
}

describe('a TASK is refused', () => {
  test.each<[string, JsonObject]>([
    ['without a target', { target_id: null }],
    ['with an empty target', { target_id: '' }],
    ['for nobody', { target_id: 'nobody' }],
    ['for a constellation', { target_id: 'con-1' }],
  ])('[AIP-66] %s', async (_name, task) => {
    expect(await refusalOf(task)).toMatchObject([{ type: 'error', status: 'error' }]);
  });

  test.each([null, '', '   \n', '\u00a0\u2003'])('[AIP-67] with the request %j', async (request) => {
    expect(await refusalOf({ request })).toMatchObject([{ type: 'error', status: 'error' }]);
  });

  test('[AIP-67] of a device whose request is empty, with the name of the rule', async () => {
    const { device } = await aPair();
    await device.say({ type: 'task', status: 'continue', request: ' ' });
    await settle();
    expect(device.heard()).toMatchObject([{ type: 'error', error: expect.stringMatching(/^task-has-request: /) }]);
  });

  test('[AIP-79] for a platform that the agent cannot drive, and no session is left behind', async () => {
    const setup = aServer();
    await joinDevice(setup, 'dev-1', { platform: 'amiga' });
    const constellation = await joinConstellation(setup);
    constellation.heard();
    for (const attempt of [1, 2]) {
      await giveTask(constellation, 'same');
      const [refusal] = constellation.heard();
      expect([attempt, refusal?.type]).toEqual([attempt, 'error']);
      expect(refusal?.error).toContain('not supported on amiga');
    }
  });

  test('[AIP-71] with a session id of another owner, and neither of them suffers', async () => {
    const setup = await aPair();
    const other = await joinConstellation(setup, 'con-2');
    other.heard();
    await giveTask(setup.constellation, 's');
    await giveTask(other, 'mine');
    const mine = setup.device.last;
    await giveTask(other, 's', { request: 'no-rounds' });
    await setup.device.say({ type: 'task', status: 'continue', request: 'no-rounds', session_id: 's' });
    await settle();
    expect(typesOf(other.heard())).toEqual(['heartbeat', 'error']);

    await setup.device.say(answerTo(mine, [{ status: 'success' }]));
    await settle();
    expect(other.heard()).toMatchObject([{ type: 'task_end', status: 'completed', session_id: 'mine' }]);
    setup.device.transport.terminate();
    await settle();
    expect(setup.constellation.heard().slice(1)).toMatchObject([{ type: 'task_end', session_id: 's' }]);
  });

  test('[AIP-72] with a session id that is in use, and the running task goes on', async () => {
    const { device, constellation } = await aPair();
    await giveTask(constellation, 's');
    constellation.heard();
    await giveTask(constellation, 's', { request: 'no-rounds' });
    expect(constellation.heard()).toMatchObject([{ type: 'error' }]);
    await device.say(answerTo(device.last, [{ status: 'success' }]));
    await settle();

    expect(constellation.heard()).toMatchObject([{ type: 'task_end', status: 'completed', session_id: 's' }]);
  });

  test('[AIP-81] of a device for anybody but itself', async () => {
    const setup = await aPair();
    await joinDevice(setup, 'dev-2');
    for (const target_id of ['dev-2', 'con-1', 'nobody']) {
      await setup.device.say({ type: 'task', status: 'continue', request: 'no-rounds', target_id });
    }
    await settle();
    expect(typesOf(setup.device.heard())).toEqual(['error', 'error', 'error']);
    for (const target_id of ['dev-1', '', null]) {
      await setup.device.say({ type: 'task', status: 'continue', request: 'no-rounds', target_id });
    }
    await settle();
    expect(typesOf(setup.device.heard()).sort()).toEqual([...Array(3).fill('heartbeat'), ...Array(3).fill('task_end')]);
  });

  test('with a session id that no table should hold', async () => {
    const [refusal] = await refusalOf({ session_id: 'x'.repeat(4_097) });
    expect(refusal?.error).toContain('a session_id of at most 4096 characters');
  });

  test('beyond the number that one requester may have; each end makes room', async () => {
    const setup = await aPair({ limits: { sessionsPerOwnerMax: 2 } });
    for (const id of ['a', 'b', 'c']) await giveTask(setup.constellation, id);
    const [first, second, third] = setup.constellation.heard();
    expect([first?.session_id, second?.session_id, third?.type]).toEqual(['a', 'b', 'error']);
    expect(third?.error).toContain('2 tasks');

    const other = await joinConstellation(setup, 'con-2');
    other.heard();
    await giveTask(other, 'd');
    expect(typesOf(other.heard())).toEqual(['heartbeat']);
    await setup.device.say(answerTo(setup.device.heard()[0], [{ status: 'success' }]));
    await settle();
    setup.constellation.heard();
    await giveTask(setup.constellation, 'c');
    expect(typesOf(setup.constellation.heard())).toEqual(['heartbeat']);
  });
});

describe('an accepted TASK', () => {
  test('[AIP-70] is acknowledged with its session id, before anything else of the session', async () => {
    const { constellation } = await aPair();
    await giveTask(constellation, 'run/1.a', { request: 'no-rounds' });

    expect(constellation.heard()).toMatchObject([
      { type: 'heartbeat', status: 'ok', session_id: 'run/1.a', response_id: expect.stringMatching(UUID) },
      { type: 'task_end', session_id: 'run/1.a' },
    ]);
  });

  test.each<[string, JsonObject]>([
    ['absent', {}],
    ['null', { session_id: null, task_name: null }],
    ['empty', { session_id: '', task_name: '' }],
  ])('[AIP-69] gets a session id and a name of its own when they are %s', async (_name, ids) => {
    const { device, constellation } = await aPair();
    for (let count = 0; count < 2; count += 1) await constellation.say({ ...TASK, request: 'one-round', ...ids });
    await settle();

    const sessions = constellation.heard().map(({ session_id }) => session_id);
    const names = device.heard().map(({ task_name }) => task_name);
    for (const made of [...sessions, ...names]) expect(made).toMatch(UUID);
    expect(new Set([...sessions, ...names]).size).toBe(4);
  });

  test('[AIP-68] has the recorded safe name, and its raw name goes nowhere', async () => {
    for (const { name, input, output } of await vectorCases('task_names')) {
      if (typeof input !== 'string' || input === '' || typeof output !== 'string') continue;
      const { device, constellation } = await aPair();
      await giveTask(constellation, 's', { task_name: input });
      const sent = device.heard()[0]?.task_name;
      expect([name, sent]).toEqual([name, output === 'fb' ? expect.stringMatching(UUID) : output]);
    }
  });

  test.each(['windows', 'linux', 'mobile', 'macos', 'darwin'])('is driven on %s', async (platform) => {
    const setup = aServer();
    await joinDevice(setup, 'dev-1', { platform });
    const constellation = await joinConstellation(setup);
    constellation.heard();
    await giveTask(constellation, 's');

    expect(constellation.heard()).toMatchObject([{ type: 'heartbeat', status: 'ok', session_id: 's' }]);
  });
});

describe('the end of a task', () => {
  const OUTCOMES = ['no-rounds', 'raise', 'error-state', 'unknown-state'];
  test.each(OUTCOMES)('[AIP-73][AIP-74] is one TASK_END on each side, alike: %s', async (request) => {
    const { device, constellation } = await aPair();
    await giveTask(constellation, 's', { request });

    const [, ...ends] = constellation.heard();
    expect(ends).toMatchObject([{ type: 'task_end', status: expect.stringMatching(/^(completed|failed)$/) }]);
    expect(device.heard()).toEqual(ends);
  });

  test('[AIP-73] is one TASK_END for a task that a device gave itself', async () => {
    const { device } = await aPair();
    await device.say({ type: 'task', status: 'continue', request: 'no-rounds', session_id: 'own' });
    await settle();

    expect(typesOf(device.heard())).toEqual(['heartbeat', 'task_end']);
  });

  test('[AIP-73] makes the id free, and late results change nothing', async () => {
    const { device, constellation } = await aPair();
    await giveTask(constellation, 's');
    const command = device.last;
    await device.say(answerTo(command, [{ status: 'success' }]));
    await device.say(answerTo(command, [{ status: 'failure' }]));
    await settle();
    expect(typesOf(constellation.heard())).toEqual(['heartbeat', 'task_end']);
    expect(typesOf(device.heard())).toEqual(['command', 'task_end']);

    await giveTask(constellation, 's', { request: 'no-rounds' });
    expect(typesOf(constellation.heard())).toEqual(['heartbeat', 'task_end']);
  });

  test('is failed when its result nests too deep, instead of none at all', async () => {
    let result: JsonValue = 0;
    for (let level = 0; level < 300; level += 1) result = [result];
    const { constellation } = await aPair({ agent: { run: async () => ({ status: 'completed', result }) } });
    await giveTask(constellation, 's');

    expect(constellation.last).toMatchObject({ type: 'task_end', status: 'failed', session_id: 's' });
    expect(constellation.last?.error).toContain('levels of nesting');
  });

  test('is failed when it is larger than a message may be, and both connections stay', async () => {
    const agent: TaskAgent = {
      run: async ({ request }) => ({ status: 'completed', result: request === 'much' ? 'ä'.repeat(2_000) : [] }),
    };
    const { device, constellation } = await aPair({ agent, messageBytesMax: 3_000 });
    await giveTask(constellation, 'a', { request: 'much' });
    await giveTask(constellation, 'b', { request: 'little' });

    const ends = constellation.heard().filter(({ type }) => type === 'task_end');
    expect(ends).toMatchObject([
      { session_id: 'a', status: 'failed', error: expect.stringContaining('larger than the 3000 bytes') },
      { session_id: 'b', status: 'completed' },
    ]);
    expect(device.heard()).toMatchObject([{ session_id: 'a', status: 'failed' }, { session_id: 'b' }]);
  });

  test('is failed when its outcome is no JSON after all, and the next task is not', async () => {
    const agent: TaskAgent = {
      run: async ({ request }) => ({ status: 'completed', result: request === 'bad' ? notJson() : [] }),
    };
    const { constellation } = await aPair({ agent });
    await giveTask(constellation, 'a', { request: 'bad' });
    await giveTask(constellation, 'b', { request: 'good' });

    expect(constellation.heard().filter(({ type }) => type === 'task_end')).toMatchObject([
      { session_id: 'a', status: 'failed' },
      { session_id: 'b', status: 'completed' },
    ]);
  });

  test('after a fault of the agent has the rounds so far', async () => {
    const agent: TaskAgent = {
      async run({ report }) {
        report({ request: 'first', result: 1 });
        throw new Error('agent exploded');
      },
    };
    const { constellation } = await aPair({ agent });
    await giveTask(constellation, 's');

    expect(constellation.last).toMatchObject({
      status: 'failed',
      error: 'agent exploded',
      result: [{ request: 'first', result: 1 }],
    });
  });
});

describe('commands', () => {
  test('[AIP-82] have ids of their own, and one of a session is under way at a time', async () => {
    const { device, constellation } = await aPair({ agent: aBusyAgent(20) });
    await giveTask(constellation, 'a');
    await giveTask(constellation, 'b');
    const commands: JsonObject[] = [];
    for (let open = device.heard(); open.some(({ type }) => type === 'command'); open = device.heard()) {
      expect(new Set(open.map(({ session_id }) => session_id)).size).toBe(open.length);
      for (const command of open.filter(({ type }) => type === 'command')) {
        commands.push(command);
        await device.say(answerTo(command, [{ status: 'success' }]));
      }
      await settle();
    }

    expect(commands).toHaveLength(40);
    expect(new Set(commands.map(({ response_id }) => response_id)).size).toBe(40);
    expect(new Set(commands.map(({ actions }) => JSON.stringify(actions))).size).toBe(40);
  });

  test('[AIP-82] are refused to an agent whose last round is not over', async () => {
    const faults: unknown[] = [];
    const agent: TaskAgent = {
      async run({ execute }) {
        const command = { toolName: 't', parameters: {}, toolType: 'action' as const };
        void execute([command]);
        await execute([command]).catch((cause: unknown) => faults.push(cause));
        return { status: 'completed', result: [] };
      },
    };
    const { device, constellation } = await aPair({ agent });
    await giveTask(constellation, 's');

    expect(typesOf(device.heard())).toEqual(['command', 'task_end']);
    expect(faults).toHaveLength(1);
  });

  test('[AIP-89] are answered by their executor, under their response id, once; nothing else counts', async () => {
    const setup = await aPair({ agent: aBusyAgent(2) });
    const other = await joinDevice(setup, 'dev-2');
    other.heard();
    await giveTask(setup.constellation, 's');
    const command = setup.device.last;
    setup.device.heard();
    setup.constellation.heard();
    const good = answerTo(command, [{ status: 'success', result: 'forged' }]);
    await other.say(good);
    await setup.constellation.say({ ...good, client_type: 'constellation' });
    await setup.device.say({ ...good, prev_response_id: 'another' });
    await setup.device.say({ ...good, prev_response_id: null });
    await setup.device.say({ ...good, session_id: 'another' });
    await settle();
    for (const wire of [other, setup.constellation, setup.device]) expect(wire.heard()).toEqual([]);

    await setup.device.say(answerTo(command, [{ status: 'success', result: 'real' }]));
    await setup.device.say(good);
    await settle();
    expect(typesOf(setup.device.heard())).toEqual(['command']);
    await setup.device.say(answerTo(setup.device.last, [{ status: 'success' }]));
    await settle();
    expect(setup.constellation.last).toMatchObject({ result: [{ result: 'real' }, {}] });
  });

  test('[AIP-89] results for unknown sessions create nothing, however many come', async () => {
    const { device, server } = await aPair();
    for (let index = 0; index < 1_000; index += 1) {
      await device.say({ ...answerTo(undefined, []), session_id: `guess-${index}`, prev_response_id: 'r' });
    }
    await settle();
    expect(device.heard()).toEqual([]);
    expect(await server.cancelDeviceTasks('dev-1', 'test')).toBe(0);
  });

  test.each<[string, JsonValue, JsonValue]>([
    ['null', null, ['failure']],
    ['an empty list', [], ['failure']],
    ['a list that is too long', [{ status: 'success' }, { status: 'success' }], ['success']],
    ['one for another call', [{ status: 'success', call_id: 'other' }], ['failure']],
  ])('[AIP-90] whose action_results are %s do no harm', async (_name, results, expected) => {
    const { device, constellation } = await aPair();
    await giveTask(constellation, 's');
    await device.say(answerTo(device.last, results));
    await settle();

    expect(constellation.last?.result).toEqual([{ request: 'one-round', result: expected }]);
  });

  test('[AIP-91] that a device does not answer in time are answered for', async () => {
    const { clock, constellation } = await aPair();
    await giveTask(constellation, 's');
    await clock.advance(5_999_999);
    expect(typesOf(constellation.heard())).toEqual(['heartbeat']);
    await clock.advance(1);

    expect(constellation.last).toMatchObject({
      type: 'task_end',
      status: 'completed',
      result: [{ request: 'one-round', result: ['failure'] }],
    });
  });

  test('[AIP-G3] of one session on a device do not wait for those of another', async () => {
    const { device, constellation } = await aPair();
    await giveTask(constellation, 'a');
    await giveTask(constellation, 'b');
    const [commandA, commandB] = device.heard();
    for (const [command, session_id] of [
      [commandB, 'b'],
      [commandA, 'a'],
    ] as const) {
      await device.say(answerTo(command, [{ status: 'success' }]));
      await settle();
      expect(constellation.last).toMatchObject({ type: 'task_end', session_id });
    }
  });
});

test('[AIP-G4] the frames of a session leave in the order in which they were meant, whatever a middleware takes', async () => {
  let delay = 0;
  const { clock, device, constellation } = await aPair({
    agent: aBusyAgent(3),
    middlewares: [
      {
        name: 'slow',
        async outgoing(message) {
          delay = (delay * 7 + 3) % 11;
          for (let turn = 0; turn < delay; turn += 1) await Promise.resolve();
          return message;
        },
      },
    ],
  });
  for (const id of ['a', 'b', 'c']) await giveTask(constellation, id);
  const heard: JsonObject[] = [];
  for (let round = 0; round < 4; round += 1) {
    await clock.advance(1);
    for (const frame of device.heard()) {
      heard.push(frame);
      if (frame.type === 'command') await device.say(answerTo(frame, [{ status: 'success' }]));
    }
  }
  await clock.advance(1);

  for (const id of ['a', 'b', 'c']) {
    const ofSession = heard.filter(({ session_id }) => session_id === id);
    expect(typesOf(ofSession)).toEqual(['command', 'command', 'command', 'task_end']);
    const tools = ofSession.flatMap(({ actions }) => (Array.isArray(actions) ? actions : []));
    expect(tools).toMatchObject([{ tool_name: 'tool_0' }, { tool_name: 'tool_1' }, { tool_name: 'tool_2' }]);
  }
  const ends = constellation.heard().filter(({ session_id }) => session_id === 'a');
  expect(typesOf(ends)).toEqual(['heartbeat', 'task_end']);
});

/** What a careless agent, written without types, might return. */
function notJson(): JsonValue {
  return { size: 10n } as unknown as JsonValue;
}
