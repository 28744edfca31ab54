import type { Context } from 'hono';
import type { z } from 'zod';
import type { Identity } from '@/relay/auth/identify';

export type ApiEnv = { Variables: { identity: Identity } };
export type ApiContext = Context<ApiEnv>;

export type RouteParameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly about: string;
};
export type RouteAnswer = { readonly about: string; readonly schema?: z.ZodType; readonly mediaType?: string };

/**
 * One operation of the API: how it is served and what `/v1/openapi.json` says about it, side by side, so that neither
 * can be there without the other.
 */
export type ApiRoute = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** With `{name}` for a parameter. */
  readonly path: string;
  readonly summary: string;
  /** `open` asks for no token and no cookie. */
  readonly access: 'open' | 'signed-in';
  readonly parameters?: readonly RouteParameter[];
  readonly body?: { readonly mediaType: string; readonly schema: z.ZodType; readonly need: 'required' | 'optional' };
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  handle(context: ApiContext): Response | Promise<Response>;
};
