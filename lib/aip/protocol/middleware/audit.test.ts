import { expect, test } from 'vitest';
import { answerTo, aPair, giveTask } from '@/lib/aip/testing/a-server';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { silentLogger } from '@/lib/std/logger';
import { type AuditRecord, createAuditMiddleware } from './audit';

test('who came, what was asked, what was done and how it ended is written down, in order', async () => {
  const records: AuditRecord[] = [];
  const clock = createFakeClock(1_000);
  const write = (record: AuditRecord) => void records.push(record);
  const { device, constellation } = await aPair({
    middlewares: [createAuditMiddleware({ clock, logger: silentLogger, write, peer: 'all' })],
  });
  await giveTask(constellation, 's-1', { request: 'one-round' });
  await device.say(answerTo(device.last, [{ status: 'success', result: 'a secret' }]));
  await settle();
  await constellation.say({ type: 'heartbeat', status: 'ok', client_id: 'con-1', client_type: 'constellation' });

  expect(records.map(({ direction, type }) => `${direction} ${type}`)).toEqual([
    'incoming register',
    'incoming register',
    'incoming task',
    'outgoing command',
    'incoming command_results',
    'outgoing task_end',
    'outgoing task_end',
  ]);
  expect(records[2]).toMatchObject({ atMs: 1_000, peer: 'all', sessionId: 's-1', targetId: 'dev-1' });
  expect(records[3]?.tools?.length).toBeGreaterThan(0);
  expect(records[4]).toMatchObject({ results: ['success'] });
  expect(JSON.stringify(records)).not.toContain('a secret');
});

test('what cannot be written down is not done, and the requester learns no more than that', async () => {
  const faults: unknown[] = [];
  const logger = { ...silentLogger, error: (what: string, fields: unknown) => void faults.push([what, fields]) };
  let isFull = false;
  const write = async () => {
    if (isFull) throw new Error('/var/audit: no space left');
  };
  const { device, constellation } = await aPair({
    middlewares: [createAuditMiddleware({ clock: createFakeClock(), logger, write })],
  });
  isFull = true;
  await giveTask(constellation, 's-1');

  expect(constellation.last).toMatchObject({ type: 'error' });
  expect(String(constellation.last?.error)).toMatch(/audit record could not be written/);
  expect(String(constellation.last?.error)).not.toContain('/var');
  expect(device.heard()).toEqual([]);
  expect(JSON.stringify(faults)).toContain('no space left');
});

test('other types can be asked for', async () => {
  const types: string[] = [];
  const write = ({ type }: AuditRecord) => void types.push(type);
  const options = { clock: createFakeClock(), logger: silentLogger, write, types: ['heartbeat'] as const };
  await aPair({ middlewares: [createAuditMiddleware(options)] });

  expect(types).toEqual(['heartbeat', 'heartbeat']);
});
