import { type ActionType, mayCommand, ROLE_NEEDED } from '@/lib/relay-protocol/commands';
import type { Refusal } from '@/lib/run/commands';
import { err, ok, type Result } from '@/lib/std/result';
import type { Actor } from '@/relay/runtime/runtime-port';

/** Asked before every command and every change over HTTP: `decide` never sees one that its sender may not send. */
export function may(actor: Actor, type: ActionType): Result<null, Refusal> {
  if (mayCommand(actor.role, type)) return ok(null);
  return err({
    code: 'forbidden',
    message: `${type} needs the role ${ROLE_NEEDED[type]}; ${actor.name} has the role ${actor.role}. Ask an admin.`,
  });
}
