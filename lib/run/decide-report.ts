import { assertNever } from '@/lib/std/assert-never';
import { ok } from '@/lib/std/result';
import type { RunReport } from './commands';
import { cancelError } from './decide-task';
import { type Decision, findTask, type RunContext, refused } from './decision';
import type { RunEvent } from './events';
import { type Attempt, type CancelCause, liveAttempt, type Run, type TaskRun } from './run';

type Report<Type extends RunReport['type']> = Extract<RunReport, { type: Type }>;

/** The parties to a report: the task and its attempt, and whether that attempt still counts. */
type Place = { readonly run: Run; readonly task: TaskRun; readonly attempt: Attempt; readonly isLive: boolean };

/** What a device link has seen. Reports that come twice, or too late, change nothing that counts. */
export function decideReport(run: Run, report: RunReport, context: RunContext): Decision {
  const found = findTask(run, report.taskId);
  if (!found.ok) return found;
  const task = found.value;
  const attempt = task.attempts.find(({ number }) => number === report.attempt);
  if (attempt === undefined) {
    return refused('stale-attempt', `Task "${task.taskId}" has no attempt ${report.attempt}; the report is dropped.`);
  }
  const place: Place = { run, task, attempt, isLive: liveAttempt(task) === attempt };
  switch (report.type) {
    case 'attempt-sending':
      return sending(place, context);
    case 'attempt-accepted':
      return accepted(place, context);
    case 'attempt-ended':
      return ended(place, report, context);
    case 'attempt-lost':
      return lost(place, report, context);
    default:
      return assertNever(report);
  }
}

/** The one report that may be refused: a link asks before it sends, and must not send what was cancelled or sent. */
function sending({ task, attempt }: Place, context: RunContext): Decision {
  if (attempt.state.phase !== 'queued') {
    return refused(
      'stale-attempt',
      `Attempt ${attempt.number} of "${task.taskId}" is ${attempt.state.phase}, so it must not be sent.`,
    );
  }
  return ok([{ type: 'attempt-sending', atMs: context.nowMs, taskId: task.taskId, attempt: attempt.number }]);
}

function accepted({ task, attempt }: Place, context: RunContext): Decision {
  if (attempt.state.phase !== 'sending') return ok([]);
  return ok([{ type: 'attempt-accepted', atMs: context.nowMs, taskId: task.taskId, attempt: attempt.number }]);
}

function ended(place: Place, report: Report<'attempt-ended'>, context: RunContext): Decision {
  if (!place.isLive) return ok(strayEvents(place, report, context));
  const { task, attempt } = place;
  const { nowMs: atMs } = context;
  const { taskId } = task;
  const { outcome, result, error } = report;
  if (attempt.state.phase === 'cancelling' || outcome === 'cancelled') {
    const stray = outcome === 'cancelled' ? [] : strayEvents(place, report, context);
    return ok([...stray, ...cancelledEvents(place, null, context)]);
  }
  const end: RunEvent = { type: 'attempt-ended', atMs, taskId, attempt: attempt.number, outcome, error };
  if (outcome === 'completed') return ok([end, { type: 'task-completed', atMs, taskId, result }]);
  const said = error === null || error === '' ? 'The device reported a failure without saying why' : error;
  return ok([end, { type: 'task-failed', atMs, taskId, result, error: said, cause: report.cause ?? 'device' }]);
}

/** An operator's cancel stands, even if the device was faster: what it reported is kept as a stray beside it. */
function cancelledEvents(place: Place, detail: string | null, context: RunContext): RunEvent[] {
  const { task, attempt } = place;
  const { nowMs: atMs } = context;
  const { taskId } = task;
  const { cause, error: why } = cancelReason(place, context);
  const error = detail === null ? why : `${why}; ${detail}`;
  const cancelled: RunEvent = { type: 'task-cancelled', atMs, taskId, cause, error };
  if (detail !== null)
    return [{ type: 'attempt-lost', atMs, taskId, attempt: attempt.number, reason: detail }, cancelled];
  return [{ type: 'attempt-ended', atMs, taskId, attempt: attempt.number, outcome: 'cancelled', error }, cancelled];
}

function cancelReason({ run, attempt }: Place, context: RunContext): { cause: CancelCause; error: string } {
  if (run.cancelAsked !== null) {
    const cause: CancelCause = { kind: 'run' };
    return { cause, error: cancelError(cause, run.cancelAsked.actor, run.cancelAsked.reason) };
  }
  const cause: CancelCause = { kind: 'operator' };
  const { state } = attempt;
  if (state.phase !== 'cancelling') return { cause, error: cancelError(cause, context.actor, null) };
  return { cause, error: cancelError(cause, state.actor, state.reason) };
}

/** Kept once per ending; the ending that already counts is not told again. */
function strayEvents({ task, attempt }: Place, report: Report<'attempt-ended'>, context: RunContext): RunEvent[] {
  const { outcome, result, error } = report;
  if (outcome === 'cancelled') return [];
  if (attempt.state.phase === 'ended' && attempt.state.outcome === outcome) return [];
  if (attempt.strays.some((stray) => stray.outcome === outcome)) return [];
  const { taskId } = task;
  return [{ type: 'attempt-strayed', atMs: context.nowMs, taskId, attempt: attempt.number, outcome, result, error }];
}

/** Only what may have reached the device can be lost; an attempt that still waits in its queue goes on waiting. */
function lost(place: Place, report: Report<'attempt-lost'>, context: RunContext): Decision {
  const { task, attempt } = place;
  if (!place.isLive || attempt.state.phase === 'queued') return ok([]);
  const { nowMs: atMs } = context;
  const { taskId } = task;
  const error = `outcome unknown: ${report.reason}`;
  if (attempt.state.phase === 'cancelling') return ok(cancelledEvents(place, error, context));
  return ok([
    { type: 'attempt-lost', atMs, taskId, attempt: attempt.number, reason: report.reason },
    { type: 'task-failed', atMs, taskId, result: { kind: 'none' }, error, cause: 'outcome-unknown' },
  ]);
}
