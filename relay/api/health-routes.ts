import { z } from 'zod';
import type { Runtime } from '@/relay/runtime/runtime-port';
import type { ApiRoute } from './api-env';

export const healthSchema = z.strictObject({ status: z.enum(['ok', 'ready', 'not-ready']) });

/** `healthz`: the process answers. `readyz`: commits succeed and links may be used. Both tell nothing else. */
export function healthRoutes(runtime: Runtime): readonly ApiRoute[] {
  return [
    {
      method: 'get',
      path: '/healthz',
      summary: 'The process answers',
      access: 'open',
      answers: { 200: { about: 'Alive.', schema: healthSchema } },
      handle: (context) => context.json({ status: 'ok' }),
    },
    {
      method: 'get',
      path: '/readyz',
      summary: 'The relay takes work',
      access: 'open',
      answers: {
        200: { about: 'Ready.', schema: healthSchema },
        503: { about: 'Starting, stopping, or the journal cannot be written.', schema: healthSchema },
      },
      handle: (context) =>
        runtime.isReady() ? context.json({ status: 'ready' }) : context.json({ status: 'not-ready' }, 503),
    },
  ];
}
