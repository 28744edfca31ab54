import { expect, test } from 'vitest';
import { createReports } from './server-reports';

test('[AIP-111] a name is pending until its task has ended, and again when it is given anew', () => {
  const reports = createReports();
  expect(reports.of('a')).toEqual({ status: 'pending' });
  reports.begin('a');
  expect(reports.of('a')).toEqual({ status: 'pending' });
  reports.end('a', null);
  expect(reports.of('a')).toEqual({ status: 'done', result: null });
  reports.begin('a');
  expect(reports.of('a')).toEqual({ status: 'pending' });
});

test('the newest thousand are kept', () => {
  const reports = createReports();
  for (let index = 0; index < 1_500; index += 1) reports.end(`task-${index}`, index);

  expect(reports.of('task-499')).toEqual({ status: 'pending' });
  expect(reports.of('task-500')).toEqual({ status: 'done', result: 500 });
});

test('64 MiB are kept, names counted; a result that is larger alone is told as such', () => {
  const reports = createReports();
  const tenMebibytes = 'x'.repeat(10 * 1_048_576);
  for (let index = 0; index < 9; index += 1) reports.end(`task-${index}`, tenMebibytes);
  expect(reports.of('task-2')).toEqual({ status: 'pending' });
  expect(reports.of('task-3').status).toBe('done');

  reports.end('small', 1);
  reports.end('large', [tenMebibytes.repeat(7)]);
  expect(reports.of('large')).toMatchObject({ status: 'done', result: { error: expect.any(String) } });
  expect(reports.of('small').status).toBe('done');
  for (let index = 0; index < 9; index += 1) reports.end(`${index}${tenMebibytes}`, 1);
  expect(reports.of('small').status).toBe('pending');
});
