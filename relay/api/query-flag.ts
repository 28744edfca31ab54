import { err, ok, type Result } from '@/lib/std/result';
import type { ApiContext } from './api-env';
import { problemResponse } from './problem';

/** Absent is no. Any other word is refused: who writes `launch=1` means yes, and must not get a draft in silence. */
export function flagIn(context: ApiContext, name: string): Result<boolean, Response> {
  const text = context.req.query(name) ?? 'false';
  if (text === 'true' || text === 'false') return ok(text === 'true');
  const detail = `Expected ${name} to be true or false, got ${JSON.stringify(text.slice(0, 40))}.`;
  return err(problemResponse({ status: 422, code: 'invalid', detail }));
}
