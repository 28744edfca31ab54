import type { Command, CommandResult } from '@/lib/aip/messages';
import { failureOf } from '@/lib/aip/protocol/command-results';
import { type Cancellation, createCancellation } from '@/lib/aip/transport/cancellation';
import type { Clock } from '@/lib/std/clock';

export type LimitedAction = {
  readonly action: Command;
  /** What is left of the time for this action, in milliseconds. */
  readonly limitMs: number;
  /** The whole of that time in seconds, for the one who reads the failure. */
  readonly limitSeconds: number;
  /** Cancelled when nobody takes the result any more. */
  readonly cancellation: Cancellation;
  readonly run: (cancellation: Cancellation, timeoutMs: number) => Promise<CommandResult>;
};

/** A tool knows its limit and may say more about its end than we; it is cancelled only when it does not. */
const OWN_END_MS = 250;
/** After its limit the answer goes out, whatever the tool does. The server waits for two seconds. */
const ANSWER_MS = 1_000;

const UNWANTED = 'Nobody waits for this command any more';

/**
 * Runs one action for no longer than it may take. The result comes in time also from a tool that ignores both its limit
 * and its cancellation; such a tool goes on by itself, unheard.
 *
 * @throws what the tool throws
 */
export function runWithinLimit(clock: Clock, limited: LimitedAction): Promise<CommandResult> {
  const { action, limitMs, limitSeconds, cancellation, run } = limited;
  const late = failureOf(action, `${action.tool_name} timed out after ${limitSeconds} s`);
  if (limitMs <= 0) return Promise.resolve(late);
  if (cancellation.isCancelled) return Promise.resolve(failureOf(action, UNWANTED));
  const stop = createCancellation();
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stopTimers = [
      clock.after(limitMs + OWN_END_MS, () => {
        isOver = true;
        stop.cancel();
      }),
      clock.after(limitMs + ANSWER_MS, () => settle(() => resolve(late))),
    ];
    const forget = cancellation.onCancelled(() => {
      stop.cancel();
      settle(() => resolve(failureOf(action, UNWANTED)));
    });
    function settle(tell: () => void) {
      for (const stopTimer of stopTimers) stopTimer();
      forget();
      tell();
    }
    // Deferred, so that what a tool throws before it promises anything is a rejection, too.
    const outcome = Promise.resolve().then(() => run(stop.cancellation, limitMs));
    outcome.then(
      (result) => settle(() => resolve(isOver && result.status === 'failure' ? late : result)),
      (cause) => settle(() => (isOver ? resolve(late) : reject(cause))),
    );
  });
}
