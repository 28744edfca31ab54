import type { Problem } from './http';

export type ProblemFacts = {
  readonly status: number;
  /** Stable; programs branch on it. */
  readonly code: string;
  /** What was expected, what came, what to do. */
  readonly detail: string;
  readonly errors?: Problem['errors'];
  readonly instance?: string;
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not signed in',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  415: 'Unsupported media type',
  421: 'Unknown host',
  422: 'Cannot be processed',
  426: 'Upgrade required',
  429: 'Too many requests',
  500: 'Internal error',
  502: 'The device could not be asked',
  503: 'Not ready',
  504: 'The device did not answer in time',
};

/** The body of an error answer as RFC 9457 wants it. */
export function toProblem(facts: ProblemFacts): Problem {
  const { status, code, detail, errors, instance } = facts;
  return {
    type: `urn:orrery:problem:${code}`,
    title: TITLES[status] ?? 'Error',
    status,
    detail,
    code,
    ...(errors === undefined ? {} : { errors }),
    ...(instance === undefined ? {} : { instance }),
  };
}
