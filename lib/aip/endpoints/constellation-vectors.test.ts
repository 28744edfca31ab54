import { describe, expect, test } from 'vitest';
import {
  aConnectedConstellation,
  aConstellation,
  answerInfo,
  CONFIRMED,
  refuseAll,
} from '@/lib/aip/testing/a-constellation';
import { settle } from '@/lib/aip/testing/fake-clock';
import { vectorCases, withoutNullsDeep } from '@/lib/aip/testing/vectors';
import type { Wire } from '@/lib/aip/testing/wire';
import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';
import type { TaskOutcome } from './constellation-endpoint-types';

type Dialogue = {
  readonly device_id: string;
  readonly task_id: string;
  readonly registration_reply: readonly JsonObject[];
  readonly frames_after_task: readonly JsonObject[];
  readonly task_timeout_s: number;
};
type Conclusion = {
  readonly connected: boolean;
  readonly frames: readonly JsonObject[];
  readonly task: { readonly status: string; readonly result: JsonValue; readonly error: JsonValue } | null;
};
type Recorded = { readonly name: string; readonly input: Dialogue; readonly output: Conclusion };

const cases = await vectorCases('galaxy_client');
/** The files are part of this repository, so their shape is known. */
const dialogues = cases.filter(({ name }) => !name.startsWith('reconnect:')) as unknown as readonly Recorded[];

/** Where ours concludes something else on purpose, and what. */
const OURS: { readonly [name: string]: { readonly why: string; readonly errorType: string } } = {
  'error-does-not-end-task': { why: 'ours: it refuses the task at once, [AIP-78]', errorType: 'refused' },
  'task_end-status-ok-passed-through': { why: 'ours: only completed is completed', errorType: 'execution_error' },
};

const STOCK_SESSION = 'run-1@task_1';

/** Plays a recorded frame; the session that the recording names is the one that our task has. */
async function play(wire: Wire, frame: JsonObject, sessionId: string) {
  const ours = (text: string) => text.replaceAll(STOCK_SESSION, sessionId);
  if (typeof frame.connection_closed === 'number') wire.transport.terminate();
  else if (typeof frame.binary_text === 'string') {
    await wire.transport.send(new TextEncoder().encode(ours(frame.binary_text)));
  } else if (typeof frame.text === 'string') await wire.transport.send(frame.text);
  else await wire.transport.send(ours(JSON.stringify(frame)));
  await settle();
}

/** What is ours by decision stands for the recorded: ids that never repeat, and beats of our own rhythm and role. */
function comparable(frames: readonly JsonObject[]): readonly JsonObject[] {
  const beats = frames.filter(({ type }) => type !== 'heartbeat');
  return beats.map(({ client_id, session_id, request_id, timestamp, ...rest }) => ({
    ...rest,
    has: Object.entries({ client_id, session_id, request_id, timestamp }).flatMap(([name, id]) => (id ? [name] : [])),
  }));
}

function expectConclusion(name: string, outcome: TaskOutcome, recorded: Conclusion['task']) {
  const errorType = OURS[name]?.errorType;
  if (errorType !== undefined) expect(outcome).toMatchObject({ status: 'failed', errorType });
  else if (recorded?.status === 'completed')
    expect(outcome).toMatchObject({ status: 'completed', result: recorded.result });
  else {
    // A result that the stock client makes up itself says why; ours says it beside the result.
    const made = isJsonObject(recorded?.result) ? recorded.result.error_type : undefined;
    expect(outcome).toMatchObject({ status: 'failed', errorType: made ?? 'execution_error' });
    if (made === undefined) expect(outcome).toMatchObject({ error: recorded?.error, result: recorded?.result });
  }
}

describe('the recorded dialogues of the stock constellation', () => {
  test.each(dialogues.map((one) => [one.name, OURS[one.name]?.why ?? 'as recorded', one] as const))(
    '%s (%s)',
    async (name, _why, { input, output }) => {
      const { endpoint, server, clock } = aConstellation();
      const connecting = endpoint.connectToDevice(input.device_id, 'ws://recorded');
      await settle();
      const heard = [...server().heard()];
      for (const reply of input.registration_reply) await server().say(reply);
      await settle();
      if (!output.connected) {
        expect(comparable(heard)).toMatchObject(comparable(output.frames));
        expect(endpoint.isDeviceConnected(input.device_id)).toBe(false);
        await endpoint.close();
        expect(await connecting).toMatchObject({ ok: false });
        return;
      }
      const question = server().heard();
      heard.push(...question);
      const info =
        name === 'device-info-error-object-means-none' ? { error: 'Device not found' } : { platform: 'linux' };
      const answer = { type: 'device_info_response', status: 'ok', result: info };
      await server().say({ ...answer, response_id: question[0]?.request_id ?? null });
      expect(await connecting).toMatchObject({ ok: true });
      const { task_id: taskId, task_timeout_s: seconds } = input;
      const order = { request: 'do it', taskId, timeoutMs: seconds * 1_000 };
      const ended = endpoint.sendTaskToDevice(input.device_id, order);
      await settle();
      const sent = server().heard();
      heard.push(...sent);
      for (const frame of input.frames_after_task) await play(server(), frame, String(sent[0]?.session_id));
      await clock.advance(seconds * 1_000);

      expect(comparable(heard)).toMatchObject(comparable(withoutNullsDeep(output.frames) as JsonObject[]));
      expectConclusion(name, await ended, output.task);
    },
  );

  test('reconnect:idle-connection-lost-with-event-subscriber (ours: the device comes back, [AIP-104])', async () => {
    const constellation = await aConnectedConstellation();
    constellation.server().transport.terminate();
    await constellation.clock.advance(1_000);
    await constellation.server().say(CONFIRMED);
    await settle();
    await answerInfo(constellation.server(), { platform: 'linux' });

    expect(constellation.endpoint.isDeviceConnected('dev-1')).toBe(true);
    expect(constellation.kinds()).toContain('device-disconnected');
  });

  test('reconnect:server-refuses-registration-by-error-frame (ours: max_retries ends it, [AIP-108])', async () => {
    const constellation = await aConnectedConstellation();
    constellation.server().transport.terminate();
    await refuseAll(constellation, 600);

    expect(constellation.servers()).toHaveLength(1 + 5);
    expect(constellation.kinds().at(-1)).toBe('device-given-up');
  });

  test('are all played', () => {
    const reconnecting = cases.length - dialogues.length;
    expect([dialogues.length, reconnecting]).toEqual([12, 2]);
  });
});
