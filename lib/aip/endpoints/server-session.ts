import { createCancellation } from '@/lib/aip/transport/cancellation';
import type { Clock } from '@/lib/std/clock';
import type { Random } from '@/lib/std/random';
import { createServerLog, type ServerLog } from './server-log';
import { hasAgreed, type Peer } from './server-peer';
import { createRounds, type Rounds } from './server-rounds';
import type { RoundReport, TaskAgent, TaskOutcome } from './task-agent';

export type SessionStart = {
  readonly id: string;
  readonly taskName: string;
  readonly request: string;
  /** Who asked, and who runs the commands; the same peer when a device started the task itself. */
  readonly owner: Peer;
  readonly executor: Peer;
  /** How long the task may take, where the requester agreed to say so. */
  readonly timeoutSeconds?: number | undefined;
};

/** One task from its acceptance to its end. */
export type Session = {
  readonly id: string;
  readonly taskName: string;
  /** Another object for the same peer once it has come back. */
  owner: Peer;
  executor: Peer;
  readonly timeoutSeconds: number | undefined;
  readonly deadlineAtMs: number | undefined;
  readonly rounds: Rounds;
  /** What the agent has said of the rounds so far. */
  readonly reports: readonly RoundReport[];
  /** Undefined unless both sides agreed to `log`. */
  readonly log: ServerLog | undefined;
  /** The end has been decided; nothing that comes later counts. */
  isOver: boolean;
  /** Lets the agent work. Never rejects: the agent's fault ends its task and nothing else. */
  run(agent: TaskAgent): Promise<TaskOutcome>;
  /** Tells the agent that nobody waits any more, and fails what it waits for. */
  stop(reason: string): void;
};

export type SessionPorts = { readonly clock: Clock; readonly random: Random; readonly commandMs: number };

/** Beyond this no timer can wait, and no task does. */
const TIMEOUT_SECONDS_MAX = 2_000_000;

export function createSession(start: SessionStart, ports: SessionPorts): Session {
  const { clock } = ports;
  const { id, taskName, request, owner, executor } = start;
  const { cancel, cancellation } = createCancellation();
  const timeoutSeconds =
    start.timeoutSeconds === undefined ? undefined : Math.min(start.timeoutSeconds, TIMEOUT_SECONDS_MAX);
  const deadlineAtMs = timeoutSeconds === undefined ? undefined : clock.now() + timeoutSeconds * 1_000;
  const rounds = createRounds({ ...ports, executor, sessionId: id, taskName, deadlineAtMs });
  const reports: RoundReport[] = [];
  const hasLog = owner !== executor && hasAgreed(owner, 'log') && hasAgreed(executor, 'log');

  return {
    id,
    taskName,
    owner,
    executor,
    timeoutSeconds,
    deadlineAtMs,
    rounds,
    reports,
    log: hasLog ? createServerLog({ clock, requester: owner, sessionId: id }) : undefined,
    isOver: false,
    async run(agent) {
      try {
        return await agent.run({
          sessionId: id,
          taskName,
          request,
          device: { id: executor.id, platform: executor.platform },
          deadlineAtMs,
          execute: rounds.execute,
          report: (round) => reports.push(round),
          cancellation,
        });
      } catch (cause) {
        const error = cause instanceof Error ? cause.message : String(cause);
        return { status: 'failed', result: [...reports], error };
      }
    },
    stop(reason) {
      rounds.end(reason);
      cancel();
    },
  };
}
