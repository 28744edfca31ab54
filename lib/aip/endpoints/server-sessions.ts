import { buildTaskEnd, type ClientMessage } from '@/lib/aip/messages';
import { createCancellation } from '@/lib/aip/transport/cancellation';
import type { Clock } from '@/lib/std/clock';
import type { JsonValue } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { TaskReport } from './device-server-types';
import type { Peer } from './server-peer';
import { createRounds, type Rounds } from './server-rounds';
import type { TaskAgent, TaskOutcome } from './task-agent';

export type SessionsOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly agent: TaskAgent;
  readonly commandMs: number;
};

export type SessionStart = {
  readonly id: string;
  readonly taskName: string;
  readonly request: string;
  /** Who asked, and who runs the commands; the same peer when a device started the task itself. */
  readonly owner: Peer;
  readonly executor: Peer;
};

export type Sessions = {
  ownerOf(sessionId: string): Peer | undefined;
  /** Takes the id at once; `run` then starts the work. */
  begin(start: SessionStart): { readonly run: () => Promise<void> };
  deliver(sender: Peer, message: ClientMessage): boolean;
  /** Ends what a lost peer asked for or was to do. */
  endAllOf(peer: Peer): void;
  report(taskName: string): TaskReport;
};

type Session = SessionStart & { readonly rounds: Rounds; readonly cancel: () => void };

/** Results of ended tasks that are kept for the HTTP API. */
const REPORTS_MAX = 1_000;

/**
 * Live tasks. A session ends exactly once: by its agent, by the loss of its device, or by the loss of its owner; only
 * the first end counts, and after it the id is free.
 */
export function createSessions(options: SessionsOptions): Sessions {
  const { clock, random, logger, agent, commandMs } = options;
  const live = new Map<string, Session>();
  const reports = new Map<string, TaskReport>();

  async function finish(session: Session, outcome: TaskOutcome) {
    if (live.get(session.id) !== session) return;
    close(session, 'The task has ended');
    keepReport(session.taskName, { status: 'done', result: outcome.result });
    const ending = { ...outcome, sessionId: session.id, responseId: random.uuid() };
    logger.info('task-ended', { sessionId: session.id, deviceId: session.executor.id, status: outcome.status });
    const receivers = new Set([session.owner, session.executor]);
    await Promise.all([...receivers].filter(isConnected).map((receiver) => tellEnd(receiver, ending)));
  }

  async function tellEnd(receiver: Peer, ending: Parameters<typeof buildTaskEnd>[0]) {
    const sent = await receiver.protocol.send(buildTaskEnd(ending, clock.now()));
    if (sent.ok) return;
    if (sent.error.code === 'too-deep') {
      const failed = { ...ending, status: 'failed' as const, error: sent.error.message, result: [] };
      await receiver.protocol.send(buildTaskEnd(failed, clock.now()));
      return;
    }
    logger.info('task-end-not-told', { sessionId: ending.sessionId, clientId: receiver.id, reason: sent.error.code });
  }

  async function tellBroken({ id: sessionId, owner, executor }: Session) {
    const error = 'The outcome of this task could not be written';
    const ending = { sessionId, status: 'failed' as const, responseId: random.uuid(), error, result: [] };
    await Promise.all([...new Set([owner, executor])].filter(isConnected).map((peer) => tellEnd(peer, ending)));
  }

  function close(session: Session, reason: string) {
    live.delete(session.id);
    session.rounds.end(reason);
    session.cancel();
  }

  function keepReport(taskName: string, report: TaskReport) {
    reports.delete(taskName);
    reports.set(taskName, report);
    const oldest = reports.keys().next();
    if (reports.size > REPORTS_MAX && !oldest.done) reports.delete(oldest.value);
  }

  return {
    ownerOf: (sessionId) => live.get(sessionId)?.owner,
    begin(start) {
      const { cancellation, cancel } = createCancellation();
      const { id: sessionId, taskName, request, executor } = start;
      const rounds = createRounds({ clock, random, commandMs, executor, sessionId, taskName });
      const session: Session = { ...start, rounds, cancel };
      live.set(sessionId, session);
      reports.delete(taskName);
      return {
        async run() {
          if (live.get(sessionId) !== session) return;
          const device = { id: executor.id, platform: executor.platform };
          const { execute } = rounds;
          try {
            const outcome = await outcomeOf(agent, { sessionId, taskName, request, device, execute, cancellation });
            await finish(session, outcome);
          } catch (cause) {
            // An outcome that cannot be written, such as one that is no JSON, ends its task and not the server.
            logger.error('session-failed', { sessionId, message: cause instanceof Error ? cause.message : '' });
            await tellBroken(session);
          }
        },
      };
    },
    deliver(sender, message) {
      const session = live.get(message.session_id ?? '');
      return session?.executor === sender && session.rounds.deliver(message);
    },
    endAllOf(peer) {
      for (const session of [...live.values()]) {
        if (session.owner === peer) {
          close(session, 'The one who asked for this task is gone');
          keepReport(session.taskName, { status: 'done', result: [] });
        } else if (session.executor === peer) {
          const error = 'Task was cancelled because target device disconnected';
          void finish(session, { status: 'failed', result: [], error });
        }
      }
    },
    report: (taskName) => reports.get(taskName) ?? { status: 'pending' },
  };
}

function isConnected(peer: Peer): boolean {
  return peer.protocol.transport.state === 'connected';
}

async function outcomeOf(agent: TaskAgent, session: Parameters<TaskAgent['run']>[0]): Promise<TaskOutcome> {
  try {
    return await agent.run(session);
  } catch (cause) {
    // The agent's fault ends its task and nothing else.
    const none: JsonValue = [];
    return { status: 'failed', result: none, error: cause instanceof Error ? cause.message : String(cause) };
  }
}
