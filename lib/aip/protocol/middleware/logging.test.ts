import { expect, test } from 'vitest';
import { aPair, giveTask } from '@/lib/aip/testing/a-server';
import { type LogFields, silentLogger } from '@/lib/std/logger';
import { createLoggingMiddleware } from './logging';

test('each message is one line that says what it is and to whom it belongs, and nothing of what it carries', async () => {
  const lines: [string, LogFields][] = [];
  const logger = { ...silentLogger, debug: (what: string, fields: LogFields = {}) => void lines.push([what, fields]) };
  const { constellation } = await aPair({
    middlewares: [createLoggingMiddleware({ logger, fields: { link: 'north' } })],
  });
  await giveTask(constellation, 's-1', {
    request: 'one-round',
    metadata: { note: 'a secret' },
    task_name: 'n'.repeat(500),
  });

  const task = lines.find(([, { type }]) => type === 'task');
  expect(task).toEqual([
    'aip-received',
    {
      link: 'north',
      type: 'task',
      status: 'continue',
      sessionId: 's-1',
      taskName: `${'n'.repeat(128)}…`,
      targetId: 'dev-1',
    },
  ]);
  expect(lines.find(([, { type }]) => type === 'command')).toMatchObject(['aip-sent', { sessionId: 's-1' }]);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test('a level of its own can be asked for', async () => {
  const lines: string[] = [];
  const logger = { ...silentLogger, info: (what: string) => void lines.push(what) };
  await aPair({ middlewares: [createLoggingMiddleware({ logger, level: 'info' })] });

  expect(lines).toEqual(['aip-received', 'aip-sent', 'aip-received', 'aip-sent']);
});
