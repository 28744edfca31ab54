import type { Command, CommandResult } from '@/lib/aip/messages';

/**
 * One result per command, in the commands' order, whatever a device sent: by `call_id`, else by place; a gap becomes a
 * failure, a surplus is dropped.
 */
export function alignResults(
  commands: readonly Command[],
  results: readonly CommandResult[] | undefined,
): readonly CommandResult[] {
  return commands.map((command, index) => {
    const named = results?.find((result) => result.call_id !== undefined && result.call_id === command.call_id);
    if (named) return named;
    const placed = results?.[index];
    if (placed && placed.call_id === undefined) return withCallId(placed, command);
    return failureOf(command, 'The device answered this command without a result');
  });
}

export function allFailed(commands: readonly Command[], error: string): readonly CommandResult[] {
  return commands.map((command) => failureOf(command, error));
}

export function failureOf(command: Command, error: string): CommandResult {
  return withCallId({ status: 'failure', error }, command);
}

export function withCallId(result: CommandResult, command: Command): CommandResult {
  const { call_id: _ownCallId, ...rest } = result;
  return command.call_id === undefined ? rest : { ...rest, call_id: command.call_id };
}
