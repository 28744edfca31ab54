import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  aConnectedConstellation,
  agreedTo,
  CONFIRMED,
  type ConstellationUnderTest,
  REFUSED,
} from '@/lib/aip/testing/a-constellation';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { JsonObject } from '@/lib/std/json';
import type { TaskOutcome } from './constellation-endpoint-types';

/** What may happen, in any order. */
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant('give' as const) },
    { weight: 4, arbitrary: fc.constantFrom('accept', 'complete', 'fail') },
    { weight: 2, arbitrary: fc.constantFrom('refuse', 'cancel', 'cancel-waiting', 'foreign') },
    { weight: 2, arbitrary: fc.constantFrom('cut', 'goodbye', 'wait-long', 'wait-short', 'forget-device') },
  ),
  { maxLength: 30 },
);

const LIMIT_MS = 20_000;

/** A server that does its part, except where a step says otherwise, and keeps what it has heard. */
function aServerFor(constellation: ConstellationUnderTest, confirmation: JsonObject) {
  const tasks: { readonly taskName: string; readonly session: string; readonly link: number }[] = [];
  let isDeviceThere = true;
  let ended = new Set<string>();
  const accepted = new Set<string>();

  const live = () =>
    tasks.filter(({ session, link }) => !ended.has(session) && link === constellation.servers().length);

  async function say(message: JsonObject) {
    const { transport } = constellation.server();
    if (transport.state === 'connected') await constellation.server().say(message);
    await settle();
  }

  async function end(session: string, status: string) {
    ended.add(session);
    await say({ type: 'task_end', status, session_id: session });
  }

  return {
    tasks,
    say,
    end,
    async accept(session: string) {
      accepted.add(session);
      await say({ ...CONFIRMED, session_id: session });
    },
    /** Refuses the task that is not accepted yet, if there is one; else something that it does not say. */
    async refuse() {
      for (const { session } of live()) if (!accepted.has(session)) ended.add(session);
      await say(REFUSED);
    },
    current: () => live().at(-1)?.session,
    /** Never more than one task is under way on the device. */
    liveCount: () => live().length,
    forgetDevice() {
      isDeviceThere = false;
    },
    async serve() {
      for (;;) {
        await settle();
        const frames = constellation.server().heard();
        if (frames.length === 0) return;
        for (const frame of frames) {
          if (frame.type === 'register') {
            ended = new Set(tasks.map(({ session }) => session));
            await say(confirmation);
            isDeviceThere = true;
          } else if (frame.type === 'device_info_request') {
            const result = isDeviceThere ? { platform: 'linux' } : { error: 'unknown' };
            await say({ type: 'device_info_response', status: 'ok', response_id: frame.request_id ?? null, result });
          } else if (frame.type === 'task') {
            const link = constellation.servers().length;
            tasks.push({ taskName: String(frame.task_name), session: String(frame.session_id), link });
          } else if (frame.type === 'task_end') await end(String(frame.session_id), 'failed');
        }
      }
    },
  };
}

test.each([
  ['a stock server', CONFIRMED],
  ['a server that cancels', agreedTo('cancel')],
])(
  'with %s, whatever happens: each task has one end, one is under way at a time, and none overtakes',
  async (_, confirmation) => {
    await fc.assert(
      fc.asyncProperty(steps, async (happenings) => {
        const constellation = await aConnectedConstellation({}, confirmation);
        const { endpoint, clock } = constellation;
        const server = aServerFor(constellation, confirmation);
        const outcomes: TaskOutcome[] = [];
        const given: string[] = [];

        async function happen(step: (typeof happenings)[number]) {
          const session = server.current();
          if (step === 'give') {
            const taskId = `t${given.length}`;
            given.push(taskId);
            const order = { request: 'do it', taskId, timeoutMs: LIMIT_MS };
            void endpoint.sendTaskToDevice('dev-1', order).then((outcome) => outcomes.push(outcome));
          } else if (step === 'accept' && session) await server.accept(session);
          else if (step === 'complete' && session) await server.end(session, 'completed');
          else if (step === 'fail' && session) await server.end(session, 'failed');
          else if (step === 'refuse') await server.refuse();
          else if (step === 'cancel') void endpoint.cancelTask('dev-1', given[outcomes.length] ?? 'none');
          else if (step === 'cancel-waiting') void endpoint.cancelTask('dev-1', given.at(-1) ?? 'none');
          else if (step === 'foreign')
            await server.say({ type: 'task_end', status: 'completed', session_id: 'foreign' });
          else if (step === 'cut') constellation.server().transport.terminate();
          else if (step === 'goodbye') await constellation.server().transport.close(1001, 'restart');
          else if (step === 'wait-long') await clock.advance(LIMIT_MS);
          else if (step === 'wait-short') await clock.advance(1_500);
          else if (step === 'forget-device') server.forgetDevice();
        }

        for (const step of happenings) {
          await happen(step);
          await server.serve();
          expect(server.liveCount()).toBeLessThanOrEqual(1);
        }
        for (let round = 0; round < 2 * given.length + 2; round += 1) {
          const session = server.current();
          if (session) await server.end(session, 'completed');
          await clock.advance(3_000);
          await server.serve();
        }

        expect(outcomes.map(({ taskId }) => taskId).sort()).toEqual([...given].sort());
        const ends = constellation.events.filter(({ kind }) => kind === 'task-ended');
        expect(ends).toHaveLength(given.length);
        const sent = server.tasks.map(({ taskName }) => Number(taskName.split('/t').at(-1)));
        expect(sent).toEqual([...sent].sort((left, right) => left - right));
        expect(new Set(sent).size).toBe(sent.length);
        expect(new Set(server.tasks.map(({ session }) => session)).size).toBe(server.tasks.length);
        await endpoint.close();
      }),
      { seed: 20_260_106, numRuns: 400 },
    );
  },
);
