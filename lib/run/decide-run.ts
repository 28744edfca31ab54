import { fromDocument } from '@/lib/constellation/constellation';
import type { ImportWarning } from '@/lib/constellation/import-warning';
import { validateConstellation } from '@/lib/constellation/validate';
import type { Fleet } from '@/lib/fleet/device';
import { findDevice, knownDevices } from '@/lib/fleet/find-device';
import type { TaskId } from '@/lib/std/ids';
import { ok, type Result } from '@/lib/std/result';
import type { Refusal, RunCommand, RunCreate } from './commands';
import { cancelAttempt } from './decide-task';
import { type Decision, type RunContext, refused } from './decision';
import type { RunEvent } from './events';
import { evolveRun } from './evolve';
import { allTasksEnded } from './progress';
import { isTerminal, liveAttempt, type Run } from './run';
import { finalState, isRunEnded } from './run-state';

/**
 * A new run, as a draft or launched at once. If a launch at once is refused, nothing is created.
 *
 * A draft may hold tasks without a device or with an unknown one; each becomes a warning of the run.
 */
export function createRun(create: RunCreate, context: RunContext): Decision {
  const [problem] = validateConstellation(fromDocument(create.document));
  if (problem !== undefined) return refused('invalid', `Expected a valid plan: ${problem.message}.`);
  const created: RunEvent = {
    type: 'run-created',
    atMs: context.nowMs,
    actor: context.actor,
    runId: create.runId,
    document: create.document,
    outcomes: [...create.outcomes],
    warnings: [...create.warnings, ...placementWarnings(create, context.fleet)],
  };
  if (create.launch === 'draft') return ok([created]);
  const launched = decideRunLaunch(evolveRun(undefined, created), context);
  return launched.ok ? ok([created, ...launched.value]) : launched;
}

function placementWarnings(create: RunCreate, fleet: Fleet): ImportWarning[] {
  const warnings: ImportWarning[] = [];
  for (const task of create.document.tasks) {
    const status = create.outcomes.get(task.taskId)?.status ?? 'pending';
    if (isTerminal(status)) continue;
    const path = `tasks.${task.taskId}.target_device_id`;
    if (task.targetDeviceId === null) {
      warnings.push({ path, message: 'no device is named; place the task before launching' });
    } else if (findDevice(fleet, task.targetDeviceId) === undefined) {
      const message = `"${task.targetDeviceId}" is not a device here; add it or place the task on another one (${knownDevices(fleet)})`;
      warnings.push({ path, message });
    }
  }
  return warnings;
}

export function decideRunLaunch(run: Run, context: RunContext): Decision {
  if (run.launchedAtMs !== null) {
    return refused(
      'already-launched',
      `Run ${run.runId} was launched already, by ${run.launchedBy}; it runs on by itself.`,
    );
  }
  if (run.cancelAsked !== null || isRunEnded(run)) {
    return refused(
      'run-ended',
      `Run ${run.runId} is ${run.state} and starts nothing new; retry a task or import the plan again.`,
    );
  }
  const placed = everyTaskPlaced(run, context.fleet);
  if (!placed.ok) return placed;
  return ok([{ type: 'run-launched', atMs: context.nowMs, actor: context.actor }]);
}

/** Tasks that have ended, or are on their way, need no device any more. */
function everyTaskPlaced(run: Run, fleet: Fleet): Result<null, Refusal> {
  const missing: TaskId[] = [];
  const unknown: string[] = [];
  for (const [taskId, task] of run.tasks) {
    if (task.status !== 'pending' || liveAttempt(task) !== undefined) continue;
    const name = run.constellation.tasks.get(taskId)?.targetDeviceId ?? null;
    if (name === null) missing.push(taskId);
    else if (findDevice(fleet, name) === undefined) unknown.push(`${taskId} (on "${name}")`);
  }
  const faults: string[] = [];
  if (missing.length > 0) faults.push(`tasks without a device: ${missing.join(', ')}`);
  if (unknown.length > 0) faults.push(`tasks on an unknown device: ${unknown.join(', ')}`);
  if (faults.length === 0) return ok(null);
  return refused(
    missing.length > 0 ? 'device-missing' : 'device-unknown',
    `A launch needs every task on a known device; ${faults.join('; ')}. Place them or add the devices (${knownDevices(fleet)}).`,
  );
}

/** Cancels everything that has not ended. Asking twice is harmless. */
export function decideRunCancel(
  run: Run,
  command: Extract<RunCommand, { type: 'run-cancel' }>,
  context: RunContext,
): Decision {
  if (run.cancelAsked !== null) return ok([]);
  if (isRunEnded(run)) {
    return refused('run-ended', `Run ${run.runId} is ${run.state} already; there is nothing left to cancel.`);
  }
  const reason = command.reason ?? null;
  const events: RunEvent[] = [{ type: 'run-cancel-asked', atMs: context.nowMs, actor: context.actor, reason }];
  for (const task of run.tasks.values()) {
    if (isTerminal(task.status)) continue;
    events.push(...cancelAttempt(task, { cause: { kind: 'run' }, reason, context }));
  }
  return ok(events);
}

/** The one final event, once every task has ended. */
export function decideRunEnd(run: Run, context: RunContext): Decision {
  if (isRunEnded(run)) return ok([]);
  if (!allTasksEnded(run)) {
    return refused('not-allowed', `Run ${run.runId} has tasks that have not ended; a run ends with its last task.`);
  }
  return ok([{ type: 'run-ended', atMs: context.nowMs, state: finalState(run) }]);
}
