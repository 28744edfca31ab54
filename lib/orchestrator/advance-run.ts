import { decideRun } from '@/lib/run/decide';
import type { RunContext } from '@/lib/run/decision';
import type { RunEvent } from '@/lib/run/events';
import { startFold } from '@/lib/run/evolve';
import type { Run } from '@/lib/run/run';
import { planNext } from './plan-next';

/** A run after the planner had its say, and the events that took it there. */
export type Advance = { readonly run: Run; readonly events: readonly RunEvent[] };

/**
 * Turns what the planner wants into events, through the same rules as any command. Called after each change of a run
 * and after each change of the fleet's members; without anything to do it gives back the same run.
 *
 * @throws when a rule refuses an intent: planner and rules would then disagree, and the run would stall unseen
 */
export function advanceRun(run: Run, context: RunContext): Advance {
  const intents = planNext(run, context.fleet);
  if (intents.length === 0) return { run, events: [] };
  const fold = startFold(run);
  const events: RunEvent[] = [];
  for (const intent of intents) {
    const decision = decideRun(fold.current(), intent, context);
    if (!decision.ok) throw new Error(`The planner's ${intent.type} was refused: ${decision.error.message}`);
    for (const event of decision.value) {
      fold.apply(event);
      events.push(event);
    }
  }
  return { run: fold.current(), events };
}
