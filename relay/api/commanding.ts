import type { Command } from '@/lib/relay-protocol/commands';
import { type CommandId, commandIdSchema } from '@/lib/std/ids';
import type { Random } from '@/lib/std/random';
import { err, ok, type Result } from '@/lib/std/result';
import { may } from '@/relay/auth/may';
import type { Runtime, Verdict } from '@/relay/runtime/runtime-port';
import type { ApiContext } from './api-env';
import { problemResponse, refusalResponse } from './problem';

export const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  in: 'header',
  about: '8 to 64 letters, digits or "-". The same key with the same request is done once, within 24 h.',
} as const;

/** The command id of a request: its `Idempotency-Key`, or a new one. */
export function commandIdOf(context: ApiContext, random: Random): Result<CommandId, Response> {
  const parsed = commandIdSchema.safeParse(context.req.header('idempotency-key') ?? random.uuid());
  if (parsed.success) return ok(parsed.data);
  const detail = 'Expected an Idempotency-Key of 8 to 64 letters, digits or "-"; send a UUID.';
  return err(problemResponse({ status: 422, code: 'invalid-idempotency-key', detail }));
}

/** Sends a command as the one who asks; what was refused becomes the answer. */
export async function sendCommand(
  ports: { runtime: Runtime; random: Random },
  context: ApiContext,
  command: Command,
): Promise<Result<Verdict, Response>> {
  const { actor } = context.get('identity');
  const allowed = may(actor, command.type);
  if (!allowed.ok) return err(refusalResponse(allowed.error));
  const commandId = commandIdOf(context, ports.random);
  if (!commandId.ok) return commandId;
  const verdict = await ports.runtime.submit({ commandId: commandId.value, actor, command });
  return verdict.status === 'rejected' ? err(refusalResponse(verdict.refusal)) : ok(verdict);
}
