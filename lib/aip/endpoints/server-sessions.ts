import type { ClientMessage, TaskEnding } from '@/lib/aip/messages';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import type { DeviceServerTiming, TaskReport } from './device-server-types';
import { createEndings } from './server-endings';
import { hasAgreed, type Peer } from './server-peer';
import { createReports } from './server-reports';
import { createSession, type Session, type SessionStart } from './server-session';
import type { RoundReport, TaskAgent, TaskOutcome } from './task-agent';

export type SessionsOptions = {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly agent: TaskAgent;
  readonly timing: Pick<DeviceServerTiming, 'commandMs' | 'deadlineGraceMs'>;
};

export type Sessions = {
  ownerOf(sessionId: string): Peer | undefined;
  executorOf(sessionId: string): Peer | undefined;
  /** How many tasks of a requester have not ended. */
  countOf(owner: Peer): number;
  hasWorkFor(device: Peer): boolean;
  /** Takes the id at once; `run` then starts the work. */
  begin(start: SessionStart): { readonly run: () => Promise<void> };
  /** Takes results; says whether they are those that the session waits for. */
  deliver(sender: Peer, message: ClientMessage): boolean;
  /** Takes what a command prints; says whether the session is the sender's. */
  log(sender: Peer, sessionId: string, lines: readonly string[]): boolean;
  /** Ends a session before its agent does; false when it has ended already, or never was. */
  end(sessionId: string, outcomeOf: (rounds: readonly RoundReport[]) => TaskOutcome): boolean;
  /** Ends what runs, on one device or on all, and tells both sides; says how much that was. */
  endAll(reason: string, deviceId?: string): Promise<number>;
  /** Ends what a lost peer asked for or was to do. */
  endAllOf(peer: Peer): void;
  /** The device is away and may come back: its sessions wait. */
  suspend(device: Peer): void;
  /** The device is back under a new connection: it hears what it has missed, and its sessions go on. */
  resume(device: Peer, fresh: Peer): void;
  report(taskName: string): TaskReport;
};

/** Who hears of an end: when the requester is lost, only a device that agreed to be told. */
type Audience = 'both sides' | 'agreed device';

/**
 * Live tasks. A session ends exactly once: by its agent, its requester, its device, its deadline, or the loss of either
 * side; only the first end counts. Its id is free when the end is on its way, so that nothing of a later session of that
 * id can come before it.
 */
export function createSessions(options: SessionsOptions): Sessions {
  const { clock, random, logger, agent, timing } = options;
  const live = new Map<string, Session>();
  const deadlines = new Map<Session, CancelTimer>();
  const reports = createReports();
  const endings = createEndings({ clock, logger });

  async function finish(session: Session, outcome: TaskOutcome, audience: Audience = 'both sides'): Promise<void> {
    if (session.isOver) return;
    session.isOver = true;
    deadlines.get(session)?.();
    deadlines.delete(session);
    session.stop(outcome.error ?? 'The task has ended');
    const final = timedOut(session, outcome) ?? outcome;
    reports.end(session.taskName, final.result);
    logger.info('task-ended', { sessionId: session.id, deviceId: session.executor.id, status: final.status });
    const { status, error, result } = final;
    const ending = { sessionId: session.id, status, responseId: random.uuid(), error, result };
    // The device first: what it runs is to stop, however long the requester takes to read.
    await Promise.all([tellDevice(session, ending, audience), tellOwner(session, ending, audience)]);
  }

  async function tellDevice({ owner, executor }: Session, ending: TaskEnding, audience: Audience): Promise<void> {
    const isTold = audience === 'both sides' || hasAgreed(executor, 'cancel');
    if (isTold && executor !== owner) await endings.tell(executor, ending);
  }

  async function tellOwner(session: Session, ending: TaskEnding, audience: Audience): Promise<void> {
    const isTold = audience === 'both sides';
    if (session.log && isTold) await session.log.flush();
    session.log?.stop();
    live.delete(session.id);
    const messages = session.log?.tail() ?? [];
    if (isTold) await endings.tell(session.owner, messages.length > 0 ? { ...ending, messages } : ending);
  }

  /** Nobody waits for these; what goes wrong is told here. */
  function finishSoon(...ending: Parameters<typeof finish>): void {
    finish(...ending).catch((cause: unknown) => {
      logger.error('session-end-failed', { sessionId: ending[0].id, message: String(cause) });
    });
  }

  function watchDeadline(session: Session) {
    const { deadlineAtMs } = session;
    if (deadlineAtMs === undefined) return;
    // A device that knows the deadline stops its command itself, and can say what came of it.
    const graceMs = hasAgreed(session.executor, 'deadline') ? timing.deadlineGraceMs : 0;
    const stopTimer = clock.after(deadlineAtMs - clock.now() + graceMs, () => {
      finishSoon(session, { status: 'failed', result: [...session.reports] });
    });
    deadlines.set(session, stopTimer);
  }

  /** What fails when the time is over failed because the time is over. */
  function timedOut({ deadlineAtMs, timeoutSeconds, reports }: Session, outcome: TaskOutcome): TaskOutcome | undefined {
    if (outcome.status === 'completed' || deadlineAtMs === undefined || clock.now() < deadlineAtMs) return undefined;
    const error = `The task timed out after ${timeoutSeconds} s`;
    const rounds = Array.isArray(outcome.result) ? outcome.result : [...reports];
    return { status: 'failed', error, result: { failure: error, error_type: 'timeout', rounds } };
  }

  const sessionsOn = (device: Peer) => [...live.values()].filter(({ executor }) => executor === device);

  return {
    ownerOf: (sessionId) => live.get(sessionId)?.owner,
    executorOf: (sessionId) => live.get(sessionId)?.executor,
    countOf: (owner) => [...live.values()].filter((session) => session.owner === owner).length,
    hasWorkFor: (device) => sessionsOn(device).some(({ isOver }) => !isOver),
    begin(start) {
      const session = createSession(start, { clock, random, commandMs: timing.commandMs });
      live.set(session.id, session);
      reports.begin(session.taskName);
      watchDeadline(session);
      return {
        async run() {
          if (!session.isOver) await finish(session, await session.run(agent));
        },
      };
    },
    deliver(sender, message) {
      const session = live.get(message.session_id ?? '');
      return session?.executor === sender && session.rounds.deliver(message);
    },
    log(sender, sessionId, lines) {
      const session = live.get(sessionId);
      if (session?.executor !== sender || session.isOver) return false;
      session.log?.add(lines);
      return true;
    },
    end(sessionId, outcomeOf) {
      const session = live.get(sessionId);
      if (!session || session.isOver) return false;
      finishSoon(session, outcomeOf([...session.reports]));
      return true;
    },
    async endAll(reason, deviceId) {
      const running = [...live.values()].filter(({ isOver }) => !isOver);
      const ended = running.filter(({ executor }) => deviceId === undefined || executor.id === deviceId);
      await Promise.all(
        ended.map((session) => finish(session, { status: 'failed', error: reason, result: [...session.reports] })),
      );
      return ended.length;
    },
    endAllOf(peer) {
      endings.drop(peer);
      for (const session of [...live.values()]) {
        const result = [...session.reports];
        if (session.owner === peer) {
          const error = 'The one who asked for this task is gone';
          finishSoon(session, { status: 'failed', result, error }, 'agreed device');
        } else if (session.executor === peer) {
          const error = 'Task was cancelled because target device disconnected';
          finishSoon(session, { status: 'failed', result, error });
        }
      }
    },
    suspend(device) {
      endings.hold(device);
      for (const session of sessionsOn(device)) session.rounds.suspend();
    },
    resume(device, fresh) {
      const waiting = sessionsOn(device);
      for (const session of waiting) {
        session.executor = fresh;
        if (session.owner === device) session.owner = fresh;
      }
      endings.release(device, fresh);
      for (const session of waiting) if (!session.isOver) session.rounds.resume(fresh);
    },
    report: reports.of,
  };
}
