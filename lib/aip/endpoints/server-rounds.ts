import { buildCommand, type ClientMessage, type Command, type CommandResult } from '@/lib/aip/messages';
import { alignResults, allFailed } from '@/lib/aip/protocol/command-results';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import { hasAgreed, type Peer } from './server-peer';
import type { TaskCommand } from './task-agent';

export type RoundsOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly commandMs: number;
  readonly executor: Peer;
  readonly sessionId: string;
  readonly taskName: string;
  readonly deadlineAtMs: number | undefined;
};

/** The rounds of one session: at most one COMMAND is unanswered at a time. */
export type Rounds = {
  /** @throws when the last round is not over */
  execute(commands: readonly TaskCommand[]): Promise<readonly CommandResult[]>;
  /** Takes the results of the unanswered COMMAND; says whether they were. */
  deliver(message: ClientMessage): boolean;
  /** The device is away and may come back: nothing is sent, and nothing fails for want of a connection. */
  suspend(): void;
  /** The device is back: the unanswered COMMAND is sent again, under its old `response_id`. */
  resume(executor: Peer): void;
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
  const { clock, random, commandMs, sessionId, taskName, deadlineAtMs } = options;
  let executor: Peer | undefined = options.executor;
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

  /** Not awaited by anybody: a device that has stopped reading must not outlast the time limit. */
  function send(round: Outstanding, device: Peer) {
    const leftMs = deadlineAtMs === undefined ? undefined : deadlineAtMs - clock.now();
    if (leftMs !== undefined && leftMs <= 0) return;
    const isLimited = leftMs !== undefined && hasAgreed(device, 'deadline');
    const message = buildCommand(
      {
        agentName: AGENT_NAMES[device.platform] ?? 'LinuxAgent',
        actions: round.actions,
        sessionId,
        taskName,
        responseId: round.responseId,
        processName: '',
        rootName: '',
        timeoutSeconds: isLimited ? leftMs / 1_000 : undefined,
      },
      clock.now(),
    );
    device.protocol.send(message).then(
      (sent) => {
        if (sent.ok || outstanding !== round) return;
        // What a lost device left unread it is sent again, or its loss ends the session.
        if (hasAgreed(device, 'resume') && (sent.error.code === 'closed' || sent.error.code === 'timeout')) return;
        fail(`The command could not be sent: ${sent.error.message}`);
      },
      (cause: unknown) => {
        if (outstanding === round) fail(`The command could not be sent: ${String(cause)}`);
      },
    );
  }

  return {
    async execute(commands) {
      if (outstanding) throw new Error('Expected one round at a time; await the results of the last one');
      const actions = commands.map((command) => toAction(command, random.uuid()));
      if (actions.length === 0) return [];
      if (endedBecause !== undefined) return allFailed(actions, endedBecause);
      if (deadlineAtMs !== undefined && deadlineAtMs <= clock.now()) {
        return allFailed(actions, 'The time of the task is over');
      }
      const { round, answered } = openRound(random.uuid(), actions);
      outstanding = round;
      const stopTimer = clock.after(commandMs, () => {
        fail(`The device did not answer within ${Math.round(commandMs / 1_000)} s`);
      });
      if (executor) send(round, executor);
      const results = await answered;
      stopTimer();
      return results;
    },
    deliver(message) {
      if (!outstanding || message.prev_response_id !== outstanding.responseId) return false;
      settle(alignResults(outstanding.actions, message.action_results));
      return true;
    },
    suspend() {
      executor = undefined;
    },
    resume(device) {
      executor = device;
      if (outstanding) send(outstanding, device);
    },
    end(error) {
      endedBecause ??= error;
      fail(error);
    },
  };
}

function openRound(responseId: string, actions: readonly Command[]) {
  let resolve: Outstanding['resolve'] = () => {};
  const answered = new Promise<readonly CommandResult[]>((settle) => {
    resolve = settle;
  });
  return { round: { responseId, actions, resolve }, answered };
}

function toAction(command: TaskCommand, callId: string): Command {
  return {
    tool_name: command.toolName,
    parameters: command.parameters,
    tool_type: command.toolType,
    call_id: callId,
  };
}
