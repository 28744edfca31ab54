import type { ConstellationDocument, ImportedOutcomes } from '@/lib/constellation/constellation';
import type { Fleet } from '@/lib/fleet/device';
import { aFleet } from '@/lib/fleet/testing/a-fleet';
import type { RefusalCode, RunReport, RunStep } from '@/lib/run/commands';
import { decideRun, type RunInput } from '@/lib/run/decide';
import { createRun } from '@/lib/run/decide-run';
import type { RunContext } from '@/lib/run/decision';
import type { RunEvent } from '@/lib/run/events';
import { evolveRunAll } from '@/lib/run/evolve';
import { liveAttempt, type Run, type TaskRun } from '@/lib/run/run';
import { type DeviceId, deviceIdSchema, type RunId, runIdSchema, type TaskId, taskIdSchema } from '@/lib/std/ids';
import type { JsonValue } from '@/lib/std/json';

export const A_RUN_ID: RunId = runIdSchema.parse('0'.repeat(31).concat('1'));

/** Ids in tests are written as plain text; these brand them. */
export const taskId = (id: string): TaskId => taskIdSchema.parse(id);
export const deviceId = (id: string): DeviceId => deviceIdSchema.parse(id);

type Options = {
  readonly fleet?: Fleet;
  readonly outcomes?: ImportedOutcomes;
  readonly launch?: 'draft' | 'at-once';
};

type Reported = {
  readonly outcome?: 'completed' | 'failed' | 'cancelled';
  readonly value?: JsonValue;
  readonly error?: string;
  readonly attempt?: number;
};

/**
 * A run and its journal, told in sentences: `aRun(plan).launch().dispatch('a').sent('a').ends('a')`.
 * Each step must be allowed; `tryTo` tells why one is not.
 */
export class ARun {
  readonly events: RunEvent[] = [];
  fleet: Fleet;
  nowMs = 1_000;
  #run: Run | undefined;
  #sessions = 0;

  constructor(plan: ConstellationDocument, options: Options = {}) {
    this.fleet = options.fleet ?? aFleet('linux-1', 'linux-2');
    const created = createRun(
      {
        type: 'run-create',
        runId: A_RUN_ID,
        document: plan,
        outcomes: options.outcomes ?? new Map(),
        warnings: [],
        launch: options.launch ?? 'draft',
      },
      this.context(),
    );
    if (!created.ok) throw new Error(created.error.message);
    this.#fold(created.value);
  }

  get run(): Run {
    if (this.#run === undefined) throw new Error('no run');
    return this.#run;
  }

  context(): RunContext {
    this.nowMs += 1_000;
    return {
      nowMs: this.nowMs,
      actor: 'ada',
      fleet: this.fleet,
      sessionHex: () => {
        this.#sessions += 1;
        return this.#sessions.toString(16).padStart(32, '0');
      },
    };
  }

  #fold(events: readonly RunEvent[]): void {
    this.events.push(...events);
    this.#run = evolveRunAll(this.#run, events);
  }

  /** Events that were decided elsewhere, by the planner for one. */
  append(events: readonly RunEvent[]): void {
    if (events.length > 0) this.#fold(events);
  }

  /** The events of an allowed input. */
  tell(input: RunInput): RunEvent[] {
    const decision = decideRun(this.run, input, this.context());
    if (!decision.ok) throw new Error(`${input.type}: ${decision.error.code}: ${decision.error.message}`);
    this.#fold(decision.value);
    return decision.value;
  }

  /** The code of a refusal, or `ok` with nothing changed. */
  tryTo(input: RunInput): RefusalCode | 'ok' {
    const decision = decideRun(this.run, input, this.context());
    return decision.ok ? 'ok' : decision.error.code;
  }

  launch(): this {
    this.tell({ type: 'run-launch', runId: A_RUN_ID });
    return this;
  }

  dispatch(id: string, device?: string): this {
    const target = device === undefined ? {} : { deviceId: deviceId(device) };
    this.tell({ type: 'task-dispatch', runId: A_RUN_ID, taskId: taskId(id), ...target });
    return this;
  }

  /** The live attempt was sent and taken. */
  sent(id: string): this {
    this.tell(this.report('attempt-sending', id));
    this.tell(this.report('attempt-accepted', id));
    return this;
  }

  ends(id: string, how: Reported = {}): this {
    this.tell(this.ended(id, how));
    return this;
  }

  /** Dispatched, sent and ended. */
  runs(id: string, how: Reported = {}): this {
    return this.dispatch(id).sent(id).ends(id, how);
  }

  loses(id: string, reason = 'link closed'): this {
    this.tell({ ...this.report('attempt-lost', id), type: 'attempt-lost', reason });
    return this;
  }

  step(step: RunStep): this {
    this.tell(step);
    return this;
  }

  ended(id: string, how: Reported = {}): RunReport {
    const outcome = how.outcome ?? 'completed';
    return {
      type: 'attempt-ended',
      runId: A_RUN_ID,
      taskId: taskId(id),
      attempt: how.attempt ?? this.attempt(id),
      outcome,
      result: outcome === 'completed' ? { kind: 'inline', value: how.value ?? null } : { kind: 'none' },
      error: how.error ?? (outcome === 'failed' ? 'it broke' : null),
      cause: outcome === 'failed' ? 'device' : null,
    };
  }

  report<Type extends 'attempt-sending' | 'attempt-accepted' | 'attempt-lost'>(type: Type, id: string) {
    return { type, runId: A_RUN_ID, taskId: taskId(id), attempt: this.attempt(id), reason: 'link closed' };
  }

  /** The number of the live attempt, or of the last. */
  attempt(id: string): number {
    const task = this.task(id);
    return liveAttempt(task)?.number ?? task.attempts.length;
  }

  task(id: string): TaskRun {
    const task = this.run.tasks.get(taskId(id));
    if (task === undefined) throw new Error(`no task ${id}`);
    return task;
  }

  statuses(): Record<string, string> {
    return Object.fromEntries([...this.run.tasks].map(([id, task]) => [id, task.status]));
  }
}

export function aRun(plan: ConstellationDocument, options: Options = {}): ARun {
  return new ARun(plan, options);
}
