import { text } from '@/components/text/catalogue';
import { type CommandType, mayCommand, ROLE_NEEDED, type Role } from '@/lib/relay-protocol/commands';
import type { Link } from '@/lib/relay-protocol/link';

/** Whether a control may be used now; if not, why, in words for its tooltip. */
export type ActionGate = { readonly isOpen: true } | { readonly isOpen: false; readonly reason: string };

export const OPEN_GATE: ActionGate = { isOpen: true };

export function closedGate(reason: string): ActionGate {
  return { isOpen: false, reason };
}

/** The same table that the relay refuses by, and the rule that nothing is queued while the relay is away. */
export function gateFor(type: CommandType, link: Link, role: Role | undefined): ActionGate {
  if (link.phase !== 'open' || role === undefined) return closedGate(text.shell.gate.offline);
  if (!mayCommand(role, type)) return closedGate(text.shell.gate.role(ROLE_NEEDED[type], role));
  return OPEN_GATE;
}
