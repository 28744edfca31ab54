import { buildCommand, type ClientMessage, type Command, type CommandResult } from '@/lib/aip/messages';
import { alignResults, allFailed } from '@/lib/aip/protocol/command-results';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import type { Peer } from './server-peer';
import type { TaskCommand } from './task-agent';

export type RoundsOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly commandMs: number;
  readonly executor: Peer;
  readonly sessionId: string;
  readonly taskName: string;
};

/** The rounds of one session: at most one COMMAND is unanswered at a time. */
export type Rounds = {
  /** @throws when the last round is not over */
  execute(commands: readonly TaskCommand[]): Promise<readonly CommandResult[]>;
  /** Takes the results of the unanswered COMMAND; says whether they were. */
  deliver(message: ClientMessage): boolean;
  /** Fails the unanswered COMMAND and every later one. */
  end(error: string): void;
};

type Outstanding = {
  readonly responseId: string;
  readonly actions: readonly Command[];
  readonly resolve: (results: readonly CommandResult[]) => void;
};

/** Stock devices know their agents by class name and do not answer an unknown one. */
const AGENT_NAMES: Record<string, string> = { windows: 'HostAgent', linux: 'LinuxAgent', mobile: 'MobileAgent' };

export function createRounds(options: RoundsOptions): Rounds {
  const { clock, random, commandMs, executor, sessionId, taskName } = options;
  let outstanding: Outstanding | undefined;
  let endedBecause: string | undefined;

  function settle(results: readonly CommandResult[]) {
    const round = outstanding;
    outstanding = undefined;
    round?.resolve(results);
  }

  function fail(error: string) {
    if (outstanding) settle(allFailed(outstanding.actions, error));
  }

  function send(actions: readonly Command[], responseId: string) {
    const agentName = AGENT_NAMES[executor.platform] ?? 'LinuxAgent';
    const round = { agentName, processName: '', rootName: '', actions, sessionId, taskName, responseId };
    return executor.protocol.send(buildCommand(round, clock.now()));
  }

  return {
    async execute(commands) {
      if (outstanding) throw new Error('Expected one round at a time; await the results of the last one');
      const actions = commands.map((command) => toAction(command, random.uuid()));
      if (actions.length === 0) return [];
      if (endedBecause !== undefined) return allFailed(actions, endedBecause);
      const responseId = random.uuid();
      const answered = new Promise<readonly CommandResult[]>((resolve) => {
        outstanding = { responseId, actions, resolve };
      });
      const stopTimer = clock.after(commandMs, () => {
        fail(`The device did not answer within ${Math.round(commandMs / 1000)} s`);
      });
      // Not awaited: a device that has stopped reading must not outlast the time limit.
      send(actions, responseId).then(
        (sent) => {
          if (!sent.ok) fail(`The command could not be sent: ${sent.error.message}`);
        },
        (cause: unknown) => fail(`The command could not be sent: ${String(cause)}`),
      );
      const results = await answered;
      stopTimer();
      return results;
    },
    deliver(message) {
      if (!outstanding || message.prev_response_id !== outstanding.responseId) return false;
      settle(alignResults(outstanding.actions, message.action_results));
      return true;
    },
    end(error) {
      endedBecause ??= error;
      fail(error);
    },
  };
}

function toAction(command: TaskCommand, callId: string): Command {
  return {
    tool_name: command.toolName,
    parameters: command.parameters,
    tool_type: command.toolType,
    call_id: callId,
  };
}
