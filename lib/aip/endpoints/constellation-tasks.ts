import { afterReading } from '@/lib/aip/resilience/patient-timer';
import { assertNever } from '@/lib/std/assert-never';
import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import { err, ok, type Result } from '@/lib/std/result';
import type {
  CancelTaskFailure,
  ConstellationEndpointTiming,
  ConstellationEvent,
  DeviceTaskOrder,
  TaskNames,
  TaskOutcome,
} from './constellation-endpoint-types';
import { failure, type TaskVerdict, toOutcome, verdictOf } from './constellation-outcome';
import type { ConstellationConnection, LinkSignal } from './constellation-types';

export type DeviceTasksOptions = {
  readonly deviceId: string;
  /** Of the constellation. */
  readonly taskName: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly timing: Pick<ConstellationEndpointTiming, 'taskMs' | 'deadlineGraceMs' | 'cancelMs'>;
  readonly tell: (event: ConstellationEvent) => void;
};

/** The connection that tasks go out on. */
export type TaskLink = Pick<ConstellationConnection, 'sendTask' | 'cancelTask' | 'extensions' | 'isOpen' | 'close'> & {
  /** Whether the device is still there; its server may have lost it while we were not looking. */
  readonly look: () => Promise<'there' | 'gone'>;
};

/** The tasks of one device: one is under way at most, the others wait in order. */
export type DeviceTasks = {
  add(order: DeviceTaskOrder): Promise<TaskOutcome>;
  cancel(taskId: string): Promise<Result<null, CancelTaskFailure>>;
  /** The device takes tasks, on this connection. */
  resume(link: TaskLink): void;
  /** The connection has ended: the task under way has failed with it, the others wait for the next one. */
  pause(reason: string): void;
  /** There will be no other connection: all fail, and so does what still comes. */
  end(reason: string): void;
  handle(signal: LinkSignal): void;
};

type Task = {
  readonly names: TaskNames;
  readonly taskName: string;
  readonly request: string;
  readonly timeoutMs: number;
  readonly ended: Promise<TaskOutcome>;
  readonly resolve: (outcome: TaskOutcome) => void;
};

/**
 * The task under way. Until it is `accepted`, an ERROR can only mean it. One that is `abandoned` has its outcome already,
 * and holds the device only until it has stopped there.
 */
type Flight = {
  readonly task: Task;
  readonly link: TaskLink;
  phase: 'sent' | 'accepted' | 'abandoned';
  isCancelled: boolean;
  readonly timers: CancelTimer[];
};

export function createDeviceTasks(options: DeviceTasksOptions): DeviceTasks {
  const { deviceId, clock, random, logger, timing, tell } = options;
  const queue: Task[] = [];
  let link: TaskLink | undefined;
  let flight: Flight | undefined;
  /** After a failure the device is looked for before the next task goes out. */
  let mustLook = false;
  let isLooking = false;
  let endReason: string | undefined;

  function conclude(task: Task, verdict: TaskVerdict) {
    const outcome = toOutcome(task.names, verdict);
    task.resolve(outcome);
    tell({ kind: 'task-ended', ...task.names, outcome });
  }

  /** Takes the task off the device; an abandoned one has been told about before. */
  function land(landing: Flight, verdict: TaskVerdict) {
    flight = undefined;
    for (const stop of landing.timers) stop();
    if (landing.phase !== 'abandoned') conclude(landing.task, verdict);
    if (verdict.status !== 'completed') mustLook = true;
  }

  function pump() {
    if (!link?.isOpen || flight || isLooking || queue.length === 0) return;
    if (mustLook) {
      lookThenPump(link);
      return;
    }
    const task = queue.shift();
    if (task) send(task, link);
  }

  function lookThenPump(looking: TaskLink) {
    isLooking = true;
    looking
      .look()
      .catch((cause: unknown) => {
        logger.error('device-look-failed', { deviceId, message: String(cause) });
        return 'there' as const;
      })
      .then((found) => {
        isLooking = false;
        mustLook = false;
        if (found === 'gone') void looking.close(1000, 'the device is gone from its server');
        else pump();
      });
  }

  function send(task: Task, on: TaskLink) {
    const hasDeadline = on.extensions.includes('deadline');
    const limitMs = task.timeoutMs + (hasDeadline ? timing.deadlineGraceMs : 0);
    const sending: Flight = { task, link: on, phase: 'sent', isCancelled: false, timers: [] };
    flight = sending;
    sending.timers.push(afterReading(clock, limitMs, () => timeOut(sending)));
    const { sessionId } = task.names;
    const { taskName, request } = task;
    tell({ kind: 'task-sent', ...task.names });
    on.sendTask({ sessionId, taskName, request, timeoutSeconds: task.timeoutMs / 1_000 }).then(
      (sent) => {
        if (sent.ok || flight !== sending) return;
        logger.warn('task-not-sent', { deviceId, sessionId, reason: sent.error.code });
        // What became of it on a connection that broke is not known; its end is told in a moment and fails the task.
        if (sent.error.code === 'closed' || sent.error.code === 'timeout') return;
        land(sending, failure('refused', sent.error.message));
        pump();
      },
      (cause: unknown) => {
        if (flight !== sending) return;
        logger.error('task-not-sent', { deviceId, sessionId, reason: String(cause) });
        land(sending, failure('refused', 'The task could not be written'));
        pump();
      },
    );
  }

  function timeOut(late: Flight) {
    // One that is being cancelled has a shorter limit of its own by now.
    if (flight !== late || late.isCancelled) return;
    const error = `The task had no result after ${late.task.timeoutMs / 1_000} s`;
    conclude(late.task, failure('timeout', error));
    late.phase = 'abandoned';
    mustLook = true;
    stopOnDevice(late, 'a task took too long');
  }

  /** The device is free when its server says so, or when the connection has ended and the task with it. */
  function stopOnDevice({ task, link: on, timers }: Flight, reason: string) {
    const close = () => void on.close(1000, reason);
    if (!on.extensions.includes('cancel')) {
      close();
      return;
    }
    timers.push(clock.after(timing.cancelMs, close));
    on.cancelTask(task.names.sessionId).then((sent) => {
      if (!sent.ok && sent.error.code !== 'closed') close();
    }, close);
  }

  function flightOf(sessionId: string): Flight | undefined {
    if (flight?.task.names.sessionId === sessionId) return flight;
    logger.warn('foreign-session', { deviceId, sessionId: sessionId.slice(0, 128) });
    return undefined;
  }

  function onEnded(ended: Extract<LinkSignal, { kind: 'task-ended' }>) {
    const landing = flightOf(ended.sessionId);
    if (!landing) return;
    land(landing, verdictOf(ended, landing.isCancelled));
    pump();
  }

  function onUnreadable(sessionId: string, message: string) {
    const landing = flightOf(sessionId);
    if (!landing) return;
    land(landing, failure('execution_error', `The task has ended, but its end cannot be read: ${message}`));
    pump();
  }

  /** The wire does not say what was refused; between a TASK and its acknowledgement it can only be the TASK. */
  function onRefused(message: string) {
    if (flight?.phase !== 'sent') {
      logger.warn('server-refused', { deviceId, reason: message });
      return;
    }
    land(flight, failure('refused', `The device server refused the task: ${message}`));
    pump();
  }

  function onAccepted(sessionId: string) {
    const accepted = flightOf(sessionId);
    if (accepted?.phase !== 'sent') return;
    accepted.phase = 'accepted';
    tell({ kind: 'task-accepted', ...accepted.task.names });
  }

  function pause(reason: string) {
    link = undefined;
    if (!flight) return;
    const { isCancelled } = flight;
    const errorType = isCancelled ? 'cancelled' : 'device_disconnection';
    land(flight, failure(errorType, isCancelled ? 'The task was cancelled' : reason));
  }

  function toTask(order: DeviceTaskOrder): Task {
    const { request, taskId = random.uuid(), taskName = taskId, timeoutMs = timing.taskMs } = order;
    const sessionId = `${options.taskName}@${taskId}@${random.hex(16)}`;
    let resolve: Task['resolve'] = () => {};
    const ended = new Promise<TaskOutcome>((settle) => {
      resolve = settle;
    });
    const names = { deviceId, taskId, sessionId };
    return { names, taskName: `galaxy/${options.taskName}/${taskName}`, request, timeoutMs, ended, resolve };
  }

  /** @returns why the task cannot even wait */
  function refusalOf({ names, request, timeoutMs }: Task): TaskVerdict | undefined {
    if (endReason !== undefined) return failure('device_disconnection', endReason);
    if (request.trim() === '') return failure('refused', 'Expected a request that says what shall be done, got none');
    if (!(timeoutMs > 0 && timeoutMs < Number.POSITIVE_INFINITY)) {
      return failure('refused', `Expected timeoutMs to be a number of milliseconds above 0, got ${timeoutMs}`);
    }
    const live = flight ? [flight.task, ...queue] : queue;
    if (!live.some((other) => other.names.taskId === names.taskId)) return undefined;
    return failure('refused', `A task with the id ${names.taskId} has not ended yet; choose another id`);
  }

  return {
    async add(order) {
      const task = toTask(order);
      const refusal = refusalOf(task);
      if (refusal) return toOutcome(task.names, refusal);
      queue.push(task);
      pump();
      return task.ended;
    },
    async cancel(taskId) {
      const at = queue.findIndex(({ names }) => names.taskId === taskId);
      const [waiting] = at < 0 ? [] : queue.splice(at, 1);
      if (waiting) {
        conclude(waiting, failure('cancelled', 'The task was cancelled before it was sent'));
        return ok(null);
      }
      const flying = flight;
      if (flying?.task.names.taskId !== taskId || flying.phase === 'abandoned') {
        return err({ code: 'unknown-task', message: `The device has no task with the id ${taskId} to end` });
      }
      if (!flying.isCancelled) {
        flying.isCancelled = true;
        stopOnDevice(flying, 'a task was cancelled');
      }
      const outcome = await flying.task.ended;
      if (outcome.status === 'failed' && outcome.errorType === 'cancelled') return ok(null);
      return err({ code: 'ended-otherwise', message: `The task ended as ${outcome.status} before it was cancelled` });
    },
    resume(next) {
      link = next;
      mustLook = false;
      pump();
    },
    pause,
    end(reason) {
      endReason = reason;
      pause(reason);
      for (const task of queue.splice(0)) conclude(task, failure('device_disconnection', reason));
    },
    handle(signal) {
      switch (signal.kind) {
        case 'task-accepted':
          onAccepted(signal.sessionId);
          return;
        case 'task-ended':
          onEnded(signal);
          return;
        case 'task-unreadable':
          onUnreadable(signal.sessionId, signal.message);
          return;
        case 'refused':
          onRefused(signal.message);
          return;
        case 'log': {
          const writer = flightOf(signal.sessionId);
          if (!writer || writer.phase === 'abandoned') return;
          tell({ kind: 'task-log', ...writer.task.names, messages: signal.messages });
          return;
        }
        case 'heard':
        case 'info-pushed':
        case 'closed':
          return;
        default:
          assertNever(signal);
      }
    },
  };
}
