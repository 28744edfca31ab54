import {
  buildCommandResults,
  buildDeviceTaskEnd,
  buildLogReport,
  type Command,
  type CommandResult,
  type ServerMessage,
  type TaskStatus,
  timeoutSecondsOf,
} from '@/lib/aip/messages';
import { allFailed } from '@/lib/aip/protocol/command-results';
import { runActions } from '@/lib/aip/protocol/run-actions';
import type { CancelTimer } from '@/lib/std/clock';
import { err, type Result } from '@/lib/std/result';
import { runWithinLimit } from './device-action';
import type { DeviceClientOptions, DeviceClientTiming, DeviceTaskEnd, EndTaskFailure } from './device-client-types';
import { createSessionLog } from './device-log';
import type { DeviceOutlet, Said } from './device-outlet';
import { createDeviceSessions, type DeviceSession, type Order } from './device-sessions';
import { jsonBytesOf } from './json-bytes';

export type DeviceWorkOptions = Pick<DeviceClientOptions, 'clock' | 'random' | 'logger' | 'clientId' | 'execute'> & {
  readonly timing: DeviceClientTiming;
  /** The largest message that may be sent, in bytes. */
  readonly messageBytesMax: number;
};

/** What an answer copies of its COMMAND. */
export type Asked = {
  readonly status: TaskStatus;
  readonly session_id?: string | undefined;
  readonly response_id?: string | undefined;
};

/** A device's commands. They belong to a connection, and outlive it only where `resume` was agreed. */
export type DeviceWork = {
  /** There is a connection that takes answers. */
  attach(outlet: DeviceOutlet): void;
  /** The connection is gone: what runs is stopped and forgotten. */
  forget(): void;
  /** The connection is gone and may be resumed: what runs goes on for a while. */
  keep(): void;
  /** Whether something waits for a connection that resumes. */
  readonly isKept: boolean;
  /** The server has been asked to go on: what is kept waits for its word, also beyond its time. */
  hold(): void;
  /** There was no such word: what is kept has the rest of its time. */
  release(): void;
  command(message: ServerMessage): void;
  /** Answers a COMMAND that cannot be run. */
  refuse(asked: Asked, results: readonly CommandResult[]): void;
  taskEnded(sessionId: string): void;
  endTask(sessionId: string, end: DeviceTaskEnd): Promise<Result<null, EndTaskFailure>>;
  /** Ends all tasks that a device may end. */
  endTasks(end: DeviceTaskEnd): Promise<void>;
};

/** So many COMMANDs may wait for their turn; a server has one in each of its sessions. */
const OPEN_ORDERS_MAX = 1_000;
/** Message, list of results: what stands around the results on the wire, in bytes and more than enough. */
const BYTES_AROUND_RESULTS = 4_096;

export function createDeviceWork(options: DeviceWorkOptions): DeviceWork {
  const { clock, random, logger, clientId, timing } = options;
  let outlet: DeviceOutlet | undefined;
  let keptUntilMs: number | undefined;
  let stopTimer: CancelTimer = () => {};
  const has = (extension: string) => outlet?.extensions.includes(extension) ?? false;

  const sessions = createDeviceSessions(createLog);

  function createLog(sessionId: string) {
    return createSessionLog({
      clock,
      outlet() {
        const present = outlet;
        if (!present || !has('log')) return undefined;
        return (lines) => present.say(buildLogReport({ clientId, sessionId, lines }, clock.now()));
      },
    });
  }

  function accept(message: ServerMessage, askedBy: DeviceOutlet) {
    const session = sessions.open(message.session_id ?? '', has('resume'));
    const running = [...session.orders].find(({ message: { response_id } }) => response_id === message.response_id);
    if (session.record && running && message.response_id !== undefined) {
      // The server asks again after a lost connection; the answer comes from the one that runs.
      running.askedBy = askedBy;
      return;
    }
    const order: Order = { message, deadline: deadlineOf(message), askedBy };
    session.orders.add(order);
    session.last = session.last
      .then(() => work(session, order))
      .catch((cause: unknown) => {
        logger.error('command-failed', { message: cause instanceof Error ? (cause.stack ?? '') : String(cause) });
      });
  }

  function deadlineOf(message: ServerMessage): Order['deadline'] {
    const seconds = has('deadline') ? timeoutSecondsOf(message) : undefined;
    return seconds === undefined ? undefined : { atMs: clock.now() + seconds * 1_000, seconds };
  }

  async function work(session: DeviceSession, order: Order) {
    const { cancellation } = session.life;
    const results = recordedAnswer(session, order) ?? (await runAll(session, order));
    if (!cancellation.isCancelled) await session.log.flush();
    if (cancellation.isCancelled) return;
    session.orders.delete(order);
    // An answer belongs to the connection that asked; on another one it waits until it is asked for again.
    if (outlet === order.askedBy) await answer(order.message, results);
    sessions.settle(session);
  }

  function recordedAnswer(session: DeviceSession, { message }: Order): readonly CommandResult[] | undefined {
    const { record } = session;
    if (!record) return undefined;
    const results = (message.actions ?? []).map((action, index) => record.resultOf(keyOf(message, { action, index })));
    return results.every((result) => result !== undefined) ? results : undefined;
  }

  async function runAll(session: DeviceSession, order: Order): Promise<readonly CommandResult[]> {
    const { record, life } = session;
    const actions = order.message.actions ?? [];
    const keys = new Map(actions.map((action, index) => [action, keyOf(order.message, { action, index })]));
    const results = await runActions(
      actions,
      async (action) => {
        const key = keys.get(action) ?? '';
        const recorded = record?.resultOf(key);
        if (recorded) return recorded;
        const result = await runOne(action, { session, order });
        record?.put(key, result);
        return result;
      },
      life.cancellation,
    );
    actions.forEach((action, index) => {
      const result = results[index];
      if (result) record?.put(keys.get(action) ?? '', result);
    });
    return results;
  }

  function runOne(action: Command, { session, order }: { readonly session: DeviceSession; readonly order: Order }) {
    const { deadline, message } = order;
    const leftMs = deadline === undefined ? timing.toolMs : deadline.atMs - clock.now();
    const isOwnLimit = deadline === undefined || leftMs > timing.toolMs;
    return runWithinLimit(clock, {
      action,
      limitMs: Math.min(leftMs, timing.toolMs),
      limitSeconds: isOwnLimit ? timing.toolMs / 1_000 : deadline.seconds,
      cancellation: session.life.cancellation,
      run: (cancellation, timeoutMs) =>
        options.execute(action, {
          sessionId: session.id,
          agentName: message.agent_name,
          cancellation,
          timeoutMs,
          onOutput: (line) => {
            if (!session.life.cancellation.isCancelled) session.log.add(line);
          },
        }),
    });
  }

  async function answer(message: Asked, results: readonly CommandResult[]) {
    const said = await sayResults(message, sized(results));
    if (said === undefined || said.ok || said.error.code !== 'unwritable') return;
    // What cannot be written must not leave the server waiting.
    const error = `The result cannot be sent: ${said.error.message}`;
    await sayResults(
      message,
      results.map((result) => withoutPayload(result, error)),
    );
  }

  async function sayResults(message: Asked, results: readonly CommandResult[]): Promise<Said | undefined> {
    const { status, session_id: sessionId, response_id: prevResponseId } = message;
    const ids = { clientId, requestId: random.uuid(), sessionId, prevResponseId };
    return outlet?.say(buildCommandResults({ ...ids, status, results }, clock.now()));
  }

  /** A message over the limit ends the connection at the other side, with all that runs on it. */
  function sized(results: readonly CommandResult[]): readonly CommandResult[] {
    const roomBytes = options.messageBytesMax - BYTES_AROUND_RESULTS;
    const bytes = jsonBytesOf(results, roomBytes + 1);
    if (bytes <= roomBytes) return results;
    const error = `The results are larger than a message may be (${options.messageBytesMax} bytes); ask for less`;
    return results.map((result) => withoutPayload(result, error));
  }

  async function endTask(session: DeviceSession, end: DeviceTaskEnd): Promise<Result<null, EndTaskFailure>> {
    const present = outlet;
    if (!present) return err({ code: 'not-connected', message: 'There is no connection to a server now' });
    if (!has('task_end')) {
      return err({ code: 'not-agreed', message: 'The server did not agree that a device ends tasks' });
    }
    const { life, log, id } = session;
    // Nothing that runs may answer any more, but what was printed comes before the end.
    life.cancel();
    await log.flush();
    sessions.end(session);
    return present.say(buildDeviceTaskEnd({ clientId, sessionId: id, ...end }, clock.now()));
  }

  function keepFor(leftMs: number) {
    stopTimer();
    stopTimer = clock.after(leftMs, () => {
      logger.warn('device-work-given-up', { afterMs: timing.resumeMs });
      forget();
    });
  }

  function unkeep() {
    stopTimer();
    keptUntilMs = undefined;
  }

  function forget() {
    unkeep();
    outlet = undefined;
    sessions.endAll();
  }

  return {
    get isKept() {
      return keptUntilMs !== undefined;
    },
    hold: () => stopTimer(),
    release() {
      if (keptUntilMs !== undefined) keepFor(Math.min(Math.max(keptUntilMs - clock.now(), 0), timing.resumeMs));
    },
    attach(next) {
      unkeep();
      outlet = next;
      for (const { log } of sessions.all()) log.wake();
    },
    forget,
    keep() {
      outlet = undefined;
      for (const { log } of sessions.all()) log.wake();
      keptUntilMs = clock.now() + timing.resumeMs;
      keepFor(timing.resumeMs);
    },
    command(message) {
      if (!outlet) return;
      if (sessions.openOrders < OPEN_ORDERS_MAX) {
        accept(message, outlet);
        return;
      }
      const error = `The device has ${OPEN_ORDERS_MAX} commands waiting already; send this one again later`;
      void answer(message, allFailed(message.actions ?? [], error));
    },
    refuse(message, results) {
      void answer(message, results);
    },
    taskEnded(sessionId) {
      const session = sessions.get(sessionId);
      if (!session) return;
      if (has('cancel')) {
        sessions.end(session);
        return;
      }
      session.isOver = true;
      sessions.settle(session);
    },
    async endTask(sessionId, end) {
      const session = sessions.get(sessionId);
      if (session) return endTask(session, end);
      return err({ code: 'unknown-session', message: 'This device works on no session of that id now' });
    },
    async endTasks(end) {
      await Promise.all([...sessions.all()].filter(({ id }) => id !== '').map((session) => endTask(session, end)));
    },
  };
}

/** What an action is known by: its id, else its place in its COMMAND. */
function keyOf(
  message: ServerMessage,
  { action, index }: { readonly action: Command; readonly index: number },
): string {
  return action.call_id ?? `${message.response_id ?? ''}#${index}`;
}

function withoutPayload({ status, namespace, call_id }: CommandResult, error: string): CommandResult {
  return {
    status: status === 'success' ? 'failure' : status,
    error,
    ...(namespace !== undefined && { namespace }),
    ...(call_id !== undefined && { call_id }),
  };
}
