import { isFleetEvent, isRunEvent } from '@/lib/relay-protocol/event-kinds';
import { runIdOf } from '@/lib/relay-protocol/streams';
import { effectsOf } from '@/lib/run/effects-of';
import { liveAttempt } from '@/lib/run/run';
import type { AttemptOrder } from '@/relay/links/link-host';
import type { LinkPool } from '@/relay/links/link-pool';
import { orderOf, orderOfAttempt } from './attempt-order';
import type { StateView } from './relay-state';
import type { Committed } from './runtime-port';

/** Does to the links what committed events ask for, in their order. */
export function applyEffects(links: LinkPool, state: StateView, committed: readonly Committed[]): void {
  for (const { position, event } of committed) {
    if (isFleetEvent(event)) {
      if (event.type === 'device-added') links.add(event.profile);
      else if (event.type === 'device-edited') links.edit(event.profile);
      else if (event.type === 'device-removed') links.remove(event.deviceId);
      else if (event.type === 'device-info-asked' && event.when === 'now') links.refresh(event.deviceId);
      continue;
    }
    const runId = runIdOf(position.stream);
    const run = runId === undefined ? undefined : state.run(runId);
    if (run === undefined || !isRunEvent(event)) continue;
    for (const effect of effectsOf(event, run)) {
      const order = orderOf(run, effect);
      if (order === undefined) continue;
      if (effect.type === 'enqueue-attempt') links.enqueue(order);
      else if (effect.type === 'withdraw-attempt') links.withdraw(effect.deviceId, order);
      else links.cancel(order);
    }
  }
}

/** Attempts that were never sent, in the order of their dispatch: what a start puts back into the queues. */
export function queuedOrders(state: StateView): readonly AttemptOrder[] {
  const found: { readonly order: AttemptOrder; readonly atMs: number }[] = [];
  for (const run of state.liveRuns()) {
    for (const task of run.tasks.values()) {
      const attempt = liveAttempt(task);
      if (attempt?.state.phase !== 'queued') continue;
      const order = orderOfAttempt(run, task, attempt);
      if (order !== undefined) found.push({ order, atMs: attempt.queuedAtMs });
    }
  }
  return found.sort((one, other) => one.atMs - other.atMs).map(({ order }) => order);
}
