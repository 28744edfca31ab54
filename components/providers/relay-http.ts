import './zod-config';
import { z } from 'zod';
import { type Problem, problemSchema, ticketSchema } from '@/lib/relay-protocol/http';
import { err, ok, type Result } from '@/lib/std/result';

const DEADLINE_MS = 20_000;
const TICKET_DEADLINE_MS = 8_000;

export type RelayRequest<Answer> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: { readonly type: 'application/json' | 'application/yaml'; readonly text: string };
  readonly answer: z.ZodType<Answer>;
};

/** For answers that have no body, or one that the page learns sooner over the socket. */
export const ANY_ANSWER = z.unknown();

/**
 * One request to the relay's API with the session's cookie.
 *
 * @returns the answer, or the problem as the relay describes it; a relay that cannot be reached is a problem with status 0
 */
export async function askRelay<Answer>(request: RelayRequest<Answer>): Promise<Result<Answer, Problem>> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(request.path, {
      method: request.method,
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(DEADLINE_MS),
      ...(request.body === undefined
        ? {}
        : { body: request.body.text, headers: { 'content-type': request.body.type } }),
    });
    text = await response.text();
  } catch (cause) {
    return err(unreachable(cause));
  }
  const value = parseText(text);
  if (!response.ok) return err(problemOf(response, value));
  const answer = request.answer.safeParse(value);
  if (answer.success) return ok(answer.data);
  return err({
    ...problemOf(response, undefined),
    detail: `Expected another answer from ${request.path}; reload the page`,
  });
}

export type TicketAnswer = { readonly status: 'ok'; readonly ticket: string } | { readonly status: 'signed-out' };

/** @throws Error when no ticket came within 8 s, for a reason other than being signed out */
export async function fetchTicket(): Promise<TicketAnswer> {
  const response = await fetch('/v1/tickets', {
    method: 'POST',
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.timeout(TICKET_DEADLINE_MS),
  });
  if (response.status === 401) return { status: 'signed-out' };
  if (!response.ok) throw new Error(`Expected a ticket from the relay, got status ${response.status}`);
  return { status: 'ok', ticket: ticketSchema.parse(await response.json()).ticket };
}

function unreachable(cause: unknown): Problem {
  const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
  return {
    type: 'about:blank',
    title: 'The relay did not answer',
    status: 0,
    detail: isLate
      ? `The relay did not answer within ${DEADLINE_MS / 1000} s. Look at the page before trying again: it may have done it.`
      : 'The relay cannot be reached. Check that it runs, then try again.',
    code: 'unreachable',
  };
}

function problemOf(response: Response, value: unknown): Problem {
  const problem = problemSchema.safeParse(value);
  if (problem.success) return problem.data;
  return {
    type: 'about:blank',
    title: 'Unexpected answer',
    status: response.status,
    detail: `The relay answered with status ${response.status} and no explanation.`,
    code: 'unexpected',
  };
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON (a page of something in between, say): the caller tells by the status alone.
    return undefined;
  }
}
