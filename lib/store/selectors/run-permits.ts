import type { Fleet } from '@/lib/fleet/device';
import type { RunCommand } from '@/lib/run/commands';
import { decideRun } from '@/lib/run/decide';
import type { RunContext } from '@/lib/run/decision';
import type { Run } from '@/lib/run/run';

/** Whether the rules allow a command now; if not, why, in the relay's own words. */
export type Permit = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

/**
 * Asks the same rules that the relay will ask, so a button is never offered in vain. Its events are thrown away: what it
 * would write depends on the relay's time and randomness, whether it may does not.
 */
export function permitFor(run: Run, fleet: Fleet, command: RunCommand): Permit {
  const context: RunContext = { nowMs: 0, actor: '', fleet, sessionHex: () => '0' };
  const decision = decideRun(run, command, context);
  return decision.ok ? { isAllowed: true } : { isAllowed: false, reason: decision.error.message };
}
