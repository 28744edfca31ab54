import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  aConnectedConstellation,
  aConstellation,
  agreedTo,
  answerInfo,
  CONFIRMED,
  type ConstellationUnderTest,
  endTask,
  letIn,
} from '@/lib/aip/testing/a-constellation';
import { settle } from '@/lib/aip/testing/fake-clock';
import { hostileServerFrames, playable } from '@/lib/aip/testing/hostile-server-frames';
import { usedHeapBytes } from '@/lib/aip/testing/used-heap';
import type { FrameData } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import type { TaskOutcome } from './constellation-endpoint-types';

/** Five states: a hundred thousand frames for the role. A slow machine takes its time over them. */
const FRAMES_PER_STATE = 20_000;
vi.setConfig({ testTimeout: 120_000 });
const FOR_EVER = { maxRetries: Number.POSITIVE_INFINITY, initialBackoffMs: 1, maxBackoffMs: 1, jitter: 0 };

const unhandled: unknown[] = [];
const note = (cause: unknown) => void unhandled.push(cause);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

/** Plays frames to a constellation that always has a task under way and a question open, and keeps what it says. */
async function feed(constellation: ConstellationUnderTest, hostile: readonly FrameData[], confirmation: JsonObject) {
  const { endpoint, clock } = constellation;
  const said = new Set<string>();
  const outcomes: TaskOutcome[] = [];
  const names = { session: 'none', question: 'none' };
  let given = 0;

  /** Now and then a question is answered in good order: after a failed task the next one waits for that. */
  async function read() {
    for (const { type, status, session_id: session, request_id: question } of constellation.server().heard()) {
      said.add(`${type}/${status}`);
      if (type === 'task') names.session = String(session);
      if (type === 'device_info_request') names.question = String(question);
    }
    const answer = { type: 'device_info_response', status: 'ok', response_id: names.question, result: {} };
    const { transport } = constellation.server();
    if (transport.state === 'connected') await transport.send(JSON.stringify(answer));
  }

  for (const [index, frame] of hostile.entries()) {
    const { transport } = constellation.server();
    if (transport.state === 'connected') await transport.send(playable(frame, names));
    if (index % 25 !== 0) continue;
    await clock.advance(500);
    await read();
    while (given - outcomes.length < 2) {
      given += 1;
      const sending = endpoint.sendTaskToDevice('dev-1', { request: 'do it', timeoutMs: 60_000 });
      void sending.then((outcome) => outcomes.push(outcome));
    }
    void endpoint.requestDeviceInfo('dev-1');
    await settle();
    await read();
    // A device that seemed to be gone is let in again; whether it was is not this test's question.
    if (constellation.server().transport.state !== 'connected') {
      await clock.advance(10);
      await letIn(constellation, { confirmation });
    }
  }
  return { said, outcomes, given: () => given };
}

test.each([
  ['stock server', CONFIRMED],
  ['server that agrees to cancelling', agreedTo('cancel', 'deadline')],
  ['server that agrees to all', agreedTo('cancel', 'deadline', 'log', 'device_info')],
])(
  '[AIP-96] registered with a %s, no frame harms the constellation: its next task ends as its server says',
  async (state, confirmation) => {
    const constellation = await aConnectedConstellation({ reconnection: FOR_EVER }, confirmation);
    const { outcomes, given } = await feed(constellation, hostileServerFrames(state, FRAMES_PER_STATE), confirmation);
    await constellation.endpoint.disconnectDevice('dev-1');
    await settle();
    expect(outcomes).toHaveLength(given());
    expect(outcomes.length).toBeGreaterThan(50);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['completed', 'failed']));

    const again = constellation.endpoint.connectToDevice('dev-1', 'ws://one');
    await letIn(constellation, { confirmation });
    await again;
    const ended = constellation.endpoint.sendTaskToDevice('dev-1', { request: 'do it' });
    await settle();
    const task = constellation
      .server()
      .heard()
      .find(({ type }) => type === 'task');
    await endTask(constellation.server(), task ?? {}, { result: 'done' });
    expect(await ended).toMatchObject({ status: 'completed', result: 'done' });
    expect(unhandled).toEqual([]);
    await constellation.endpoint.close();
  },
);

test('[AIP-97][AIP-52] no frame makes it send an ERROR, nor a frame of an extension to a stock server', async () => {
  const constellation = await aConnectedConstellation({ reconnection: FOR_EVER });
  const { said } = await feed(constellation, hostileServerFrames('quiet', FRAMES_PER_STATE), CONFIRMED);

  expect([...said].sort()).toEqual(['device_info_request/ok', 'heartbeat/ok', 'task/continue']);
  await constellation.endpoint.close();
});

test('whatever comes before the confirmation, it is registered, refused or tries again', async () => {
  const constellation = aConstellation({ reconnection: FOR_EVER, timing: { refusedPatienceMs: 0 } });
  void constellation.endpoint.connectToDevice('dev-1', 'ws://one');
  const replies = hostileServerFrames('first', FRAMES_PER_STATE);
  await settle();
  let played = 0;
  while (played < replies.length) {
    const { transport } = constellation.server();
    if (transport.state !== 'connected') {
      await constellation.clock.advance(5);
      continue;
    }
    for (const frame of replies.slice(played, played + 10)) {
      if (transport.state === 'connected') await transport.send(frame);
    }
    played += 10;
    await settle();
    transport.terminate();
    await settle();
  }
  expect(constellation.servers().length).toBeGreaterThan(500);
  for (const kind of ['device-unreachable', 'device-disconnected', 'device-reconnected'] as const) {
    expect(constellation.kinds()).toContain(kind);
  }
  await constellation.clock.advance(5);
  await constellation.server().say(CONFIRMED);
  await settle();
  await answerInfo(constellation.server(), { platform: 'linux' });

  expect(constellation.endpoint.isDeviceConnected('dev-1')).toBe(true);
  expect(unhandled).toEqual([]);
  await constellation.endpoint.close();
});

test('memory stays flat however many frames come', async () => {
  const confirmation = agreedTo('cancel', 'log', 'device_info');
  const constellation = await aConnectedConstellation({ reconnection: FOR_EVER, onEvent: () => {} }, confirmation);
  const hostile = hostileServerFrames('memory', 1_500);
  const round = async () => {
    await feed(constellation, hostile, confirmation);
    return usedHeapBytes();
  };
  const first = await round();
  for (let count = 0; count < 3; count += 1) await round();
  const last = await round();

  expect(last - first).toBeLessThan(4 * 1_048_576);
  await constellation.endpoint.close();
});
