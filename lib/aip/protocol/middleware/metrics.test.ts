import { expect, test } from 'vitest';
import type { ClientMessage, ServerMessage } from '@/lib/aip/messages';
import { answerTo, aPair, giveTask } from '@/lib/aip/testing/a-server';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { createMetrics } from './metrics';

test('messages are counted by direction, type and status, and answers are timed', async () => {
  const clock = createFakeClock();
  const metrics = createMetrics<ServerMessage, ClientMessage>(clock);
  const { device, constellation } = await aPair({ middlewares: [metrics.middleware] });
  for (const [sessionId, tookMs] of Object.entries({ 's-1': 40, 's-2': 100 })) {
    await giveTask(constellation, sessionId, { request: 'one-round' });
    const command = device.last;
    await clock.advance(tookMs);
    await device.say(answerTo(command, [{ status: 'success', result: 'out' }]));
    await settle();
  }

  const { messages, answers, waiting } = metrics.read();
  expect(messages).toContainEqual({ direction: 'incoming', type: 'register', status: 'ok', count: 2 });
  expect(messages).toContainEqual({ direction: 'incoming', type: 'task', status: 'continue', count: 2 });
  expect(messages).toContainEqual({ direction: 'outgoing', type: 'task_end', status: 'completed', count: 4 });
  expect(answers).toContainEqual({ question: 'command', count: 2, sumMs: 140, maxMs: 100 });
  expect(answers).toContainEqual({ question: 'task', count: 2, sumMs: 140, maxMs: 100 });
  expect(waiting).toBe(0);
});

test('a question in one direction is not answered by a message in the same one', () => {
  const metrics = createMetrics<ServerMessage, ClientMessage>(createFakeClock());
  const { incoming, outgoing } = metrics.middleware;
  incoming?.({ type: 'task', status: 'continue', client_type: 'constellation', session_id: 's' });
  incoming?.({ type: 'task_end', status: 'failed', client_type: 'constellation', session_id: 's' });
  expect(metrics.read()).toMatchObject({ answers: [], waiting: 1 });

  outgoing?.({ type: 'task_end', status: 'failed', session_id: 's' });
  expect(metrics.read()).toMatchObject({ answers: [{ question: 'task', count: 1 }], waiting: 0 });
});

test('questions that nobody answers are not remembered for ever', () => {
  const metrics = createMetrics<ServerMessage, ClientMessage>(createFakeClock());
  for (let index = 0; index < 10_100; index += 1) {
    metrics.middleware.outgoing?.({ type: 'command', status: 'continue', response_id: `r-${index}` });
  }

  expect(metrics.read().waiting).toBe(10_000);
});
