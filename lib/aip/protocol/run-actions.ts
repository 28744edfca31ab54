import { type Command, type CommandResult, fitsDepth } from '@/lib/aip/messages';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import { failureOf, withCallId } from './command-results';

export type Execute = (command: Command) => Promise<CommandResult>;

/** Message, list of results, result: what stands around a payload on the wire. */
const LEVELS_AROUND_PAYLOAD = 3;

/**
 * A device's work on one COMMAND: in order, one result each; after the first failure the rest is skipped. An action
 * without a name is a deliberate nothing and always succeeds, as it does on a stock device.
 */
export async function runActions(
  actions: readonly Command[],
  execute: Execute,
  cancellation: Cancellation,
): Promise<readonly CommandResult[]> {
  const results: CommandResult[] = [];
  let hasFailed = false;
  for (const action of actions) {
    if (action.tool_name === '') {
      results.push(withCallId({ status: 'success', error: '', result: 'No action taken.' }, action));
      continue;
    }
    if (hasFailed) {
      const error = 'Skipped due to previous failure (early_exit=True).';
      results.push(withCallId({ status: 'skipped', error }, action));
      continue;
    }
    const result = cancellation.isCancelled
      ? failureOf(action, 'The connection that asked for this command is gone')
      : await runOne(action, execute);
    hasFailed = result.status === 'failure';
    results.push(result);
  }
  return results;
}

async function runOne(action: Command, execute: Execute): Promise<CommandResult> {
  try {
    const result = await execute(action);
    if (result.result !== undefined && !fitsDepth(result.result, LEVELS_AROUND_PAYLOAD)) {
      return failureOf(action, 'The result nests deeper than a message may; ask for a flatter one');
    }
    return withCallId(result, action);
  } catch (cause) {
    // Whatever a tool throws is an answer to the one who asked, never silence.
    return failureOf(action, cause instanceof Error ? cause.message : String(cause));
  }
}
