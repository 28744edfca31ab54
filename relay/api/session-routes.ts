import { z } from 'zod';
import { sessionRequestSchema, sessionSchema, ticketSchema } from '@/lib/relay-protocol/http';
import type { Logger } from '@/lib/std/logger';
import type { AllowList } from '@/relay/auth/allow-list';
import { may } from '@/relay/auth/may';
import { type CookieSecurity, clearSessionCookie, setSessionCookie } from '@/relay/auth/session-cookie';
import type { Sessions } from '@/relay/auth/sessions';
import { SIGN_IN_CODE_MS, type SignInCodes, signInUrl } from '@/relay/auth/sign-in-codes';
import { TICKET_MS, type Tickets } from '@/relay/auth/tickets';
import type { ApiContext, ApiRoute } from './api-env';
import { problemResponse, refusalResponse } from './problem';
import { readJson } from './read-body';

const BODY_BYTES_MAX = 4_096;
/** Whoever holds a sign-in link operates everything: the link is made by the owner of the data folder. */
const LINK_ACTOR = 'operator';
const LINK_ROLE = 'admin';

export const signInLinkSchema = z.strictObject({ url: z.string(), expires_in_seconds: z.number() });

export type SessionPorts = {
  readonly sessions: Sessions;
  readonly signInCodes: SignInCodes;
  readonly tickets: Tickets;
  readonly allowList: AllowList;
  readonly cookieSecurity: CookieSecurity;
  readonly logger: Logger;
};

export function sessionRoutes(ports: SessionPorts): readonly ApiRoute[] {
  const { sessions, signInCodes, tickets, allowList, cookieSecurity, logger } = ports;
  return [
    {
      method: 'post',
      path: '/v1/session',
      summary: 'Sign in with the code of a sign-in link; sets the session cookie',
      access: 'open',
      body: { mediaType: 'application/json', schema: sessionRequestSchema, need: 'required' },
      answers: { 201: { about: 'Signed in.', schema: sessionSchema } },
      async handle(context) {
        if (isForeign(context, allowList)) {
          const detail = 'Signing in is possible from the pages of this relay only; open its sign-in link.';
          return problemResponse({ status: 403, code: 'foreign-origin', detail });
        }
        const body = await readJson(context, sessionRequestSchema, BODY_BYTES_MAX);
        if (!body.ok) return body.error;
        if (!signInCodes.redeem(body.value.code)) {
          logger.warn('sign-in-refused');
          const detail = 'This sign-in link was used already or is older than 10 minutes; start again for a new one.';
          return problemResponse({ status: 401, code: 'sign-in-code-invalid', detail });
        }
        const cookieValue = sessions.start(LINK_ACTOR, LINK_ROLE);
        logger.info('signed-in', { actor: LINK_ACTOR, role: LINK_ROLE });
        context.header('set-cookie', setSessionCookie(cookieValue, cookieSecurity));
        return context.json({ actor: LINK_ACTOR, role: LINK_ROLE }, 201);
      },
    },
    {
      method: 'get',
      path: '/v1/session',
      summary: 'Who is signed in',
      access: 'signed-in',
      answers: { 200: { about: 'The signed-in actor.', schema: sessionSchema } },
      handle(context) {
        const { name, role } = context.get('identity').actor;
        return context.json({ actor: name, role });
      },
    },
    {
      method: 'delete',
      path: '/v1/session',
      summary: 'Sign out; the sockets of the session are closed',
      access: 'signed-in',
      answers: { 204: { about: 'Signed out.' } },
      handle(context) {
        const { sessionId, actor } = context.get('identity');
        if (sessionId !== null) {
          logger.info('signed-out', { actor: actor.name });
          tickets.revokeOf(sessionId);
          sessions.end(sessionId);
        }
        context.header('set-cookie', clearSessionCookie(cookieSecurity));
        return context.body(null, 204);
      },
    },
    {
      method: 'post',
      path: '/v1/tickets',
      summary: 'A ticket for the hello of one socket: good once, for 30 s',
      access: 'signed-in',
      answers: { 201: { about: 'The ticket.', schema: ticketSchema } },
      handle(context) {
        const { actor, sessionId } = context.get('identity');
        const ticket = tickets.issue({ actor: actor.name, role: actor.role, sessionId });
        if (ticket === undefined) {
          const detail = 'Too many unused tickets; use one of them, or wait 30 s.';
          return problemResponse({ status: 429, code: 'too-many-tickets', detail, headers: { 'retry-after': '30' } });
        }
        return context.json({ ticket, expires_in_seconds: TICKET_MS / 1000 }, 201);
      },
    },
    {
      method: 'post',
      path: '/v1/sign-in-links',
      summary: 'A new sign-in link: good once, for 10 minutes',
      access: 'signed-in',
      answers: { 201: { about: 'The link.', schema: signInLinkSchema } },
      handle(context) {
        const { actor } = context.get('identity');
        const allowed = may(actor, 'sign-in-link-make');
        if (!allowed.ok) return refusalResponse(allowed.error);
        logger.info('sign-in-link-made', { actor: actor.name });
        const url = signInUrl(allowList.origin, signInCodes.issue());
        return context.json({ url, expires_in_seconds: SIGN_IN_CODE_MS / 1000 }, 201);
      },
    },
  ];
}

/** A foreign page must not be able to sign somebody's browser in. Programs send neither header. */
function isForeign(context: ApiContext, allowList: AllowList): boolean {
  const origin = context.req.header('origin');
  const fetchSite = context.req.header('sec-fetch-site');
  if (origin !== undefined && !allowList.isOriginAllowed(origin)) return true;
  return fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none';
}
