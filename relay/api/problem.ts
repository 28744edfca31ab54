import type { Problem } from '@/lib/relay-protocol/http';
import { type ProblemFacts, toProblem } from '@/lib/relay-protocol/problem';
import type { Refusal, RefusalCode } from '@/lib/run/commands';

export type ProblemOptions = ProblemFacts & { readonly headers?: Readonly<Record<string, string>> };

export function problemResponse(options: ProblemOptions): Response {
  return new Response(`${JSON.stringify(toProblem(options))}\n`, {
    status: options.status,
    headers: { 'content-type': 'application/problem+json', ...options.headers },
  });
}

/** 404: the thing is not there. 409: it is there, but not in a state for this. 422: what was asked makes no sense. */
const STATUS_OF: Record<RefusalCode, number> = {
  'run-unknown': 404,
  'task-unknown': 404,
  'device-unknown': 422,
  'device-missing': 422,
  'device-exists': 409,
  'device-busy': 409,
  'device-offline': 409,
  'already-launched': 409,
  'already-dispatched': 409,
  'run-ended': 409,
  'task-not-ready': 409,
  'task-running': 409,
  'task-ended': 409,
  'task-not-failed': 409,
  'task-not-running': 409,
  'stale-revision': 409,
  'stale-attempt': 409,
  invalid: 422,
  'not-allowed': 422,
  forbidden: 403,
  expired: 409,
  conflict: 409,
};

export function refusalResponse(refusal: Refusal, errors?: Problem['errors']): Response {
  return problemResponse({
    status: STATUS_OF[refusal.code],
    code: refusal.code,
    detail: refusal.message,
    ...(errors === undefined ? {} : { errors }),
  });
}
