import type { FleetCommand } from '@/lib/fleet/commands';
import { decideFleet } from '@/lib/fleet/decide-fleet';
import type { FleetEvent } from '@/lib/fleet/events';
import { advanceRun } from '@/lib/orchestrator/advance-run';
import { FLEET_STREAM, type Position, RUNS_STREAM, runStream } from '@/lib/relay-protocol/streams';
import type { Refusal, RunCommand, RunCreate } from '@/lib/run/commands';
import { decideRun, type RunInput } from '@/lib/run/decide';
import { createRun } from '@/lib/run/decide-run';
import type { RunContext } from '@/lib/run/decision';
import type { RunEvent } from '@/lib/run/events';
import { liveAttempt, type Run } from '@/lib/run/run';
import { summaryOf } from '@/lib/run/summary-of';
import type { Clock } from '@/lib/std/clock';
import type { DeviceId, RunId } from '@/lib/std/ids';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import { err, ok, type Result } from '@/lib/std/result';
import type { DeviceFact } from '@/relay/links/link-host';
import { eventsAfterStart, eventsOfFact } from './device-facts';
import type { DeviceSecrets } from './device-secrets';
import type { RelayState } from './relay-state';
import type { CommandInput } from './runtime-port';
import type { Writer } from './writer';

/** Turns inputs into events of the open batch: rules first, then the planner, then both into memory and batch at once. */
export type Decider = {
  /** @returns the positions that the command itself wrote, the last of each stream */
  command(command: CommandInput['command'], actor: string): Result<readonly Position[], Refusal>;
  input(input: RunInput): Result<null, Refusal>;
  facts(deviceId: DeviceId, facts: readonly DeviceFact[]): void;
  /** Says what the end of the process before has done to attempts and devices, and lets the planner go on. */
  afterStart(): void;
  /** Adds the new rows of the list of runs; a run that changed many times in a batch gets one. */
  summarise(): void;
};

export type DeciderOptions = {
  readonly state: RelayState;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly secrets: DeviceSecrets;
};

const RELAY = 'relay';
const RESTARTED = 'the relay restarted while the task was under way';
const PLANNER_FAILED =
  'the relay has a fault and could not tell what comes next; retry a task to go on, and report this';
const FAULT_CHARACTERS_MAX = 500;

export function createDecider({ state, writer, clock, random, logger, secrets }: DeciderOptions): Decider {
  function contextOf(actor: string): RunContext {
    return { nowMs: clock.now(), actor, fleet: state.working.fleet(), sessionHex: () => random.hex(16) };
  }

  function changeRun(runId: RunId, events: readonly RunEvent[]): readonly Position[] {
    if (events.length === 0) return [];
    state.applyRun(runId, events);
    const positions = events.map((event) => writer.add(runStream(runId), event));
    plan(runId);
    return positions.slice(-1);
  }

  /** Lets the planner have its say until it has nothing more to say. */
  function plan(runId: RunId): void {
    for (;;) {
      const run = state.working.run(runId);
      if (run === undefined) return;
      const events = plannedEvents(runId);
      if (events.length === 0) return;
      state.applyRun(runId, events);
      for (const event of events) writer.add(runStream(runId), event);
    }
  }

  function plannedEvents(runId: RunId): readonly RunEvent[] {
    const run = state.working.run(runId);
    if (run === undefined) return [];
    try {
      return advanceRun(run, contextOf(RELAY)).events;
    } catch (cause) {
      const fault = cause instanceof Error ? cause.message : String(cause);
      logger.error('planner-failed', { runId, reason: fault });
      return givenUp(run, fault);
    }
  }

  /** A run that cannot be planned would stand still and look alive. What its devices have reported stands. */
  function givenUp(run: Run, fault: string): readonly RunEvent[] {
    const reason = `${PLANNER_FAILED} (${fault.slice(0, FAULT_CHARACTERS_MAX)})`;
    const decision = decideRun(run, { type: 'run-cancel', runId: run.runId, reason }, contextOf(RELAY));
    return decision.ok ? decision.value : [];
  }

  function changeFleet(events: readonly FleetEvent[]): readonly Position[] {
    const positions: Position[] = [];
    for (const event of events) {
      const deviceId =
        event.type === 'device-added' || event.type === 'device-edited' ? event.profile.deviceId : event.deviceId;
      const before = state.working.fleet().devices.get(deviceId);
      state.applyFleet([event]);
      positions.push(writer.add(FLEET_STREAM, event));
      if (event.type === 'device-removed' && before !== undefined) {
        for (const write of secrets.remove(before.profile)) writer.put(write);
      }
    }
    // Tasks may have waited for a device that is known only now.
    if (events.some((event) => event.type === 'device-added')) {
      for (const { runId } of state.working.liveRuns()) plan(runId);
    }
    return positions.slice(-1);
  }

  function liveAttempts(deviceId: DeviceId): number {
    let count = 0;
    for (const run of state.working.liveRuns()) {
      for (const task of run.tasks.values()) if (liveAttempt(task)?.deviceId === deviceId) count += 1;
    }
    return count;
  }

  function fleetCommand(command: FleetCommand, actor: string): Result<readonly Position[], Refusal> {
    const fleet = state.working.fleet();
    const checked = secrets.check(fleet, command);
    if (!checked.ok) return err({ code: 'invalid', message: `${checked.error}.` });
    const decision = decideFleet(fleet, command, {
      nowMs: clock.now(),
      actor,
      liveAttempts,
      sealAddress: (deviceId, serverUrl) =>
        secrets.seal({ fleet, deviceId, serverUrl, put: (write) => writer.put(write) }),
    });
    return decision.ok ? ok(changeFleet(decision.value)) : decision;
  }

  function runCreate(command: RunCreate, actor: string): Result<readonly Position[], Refusal> {
    if (state.working.run(command.runId) !== undefined) {
      return err({ code: 'conflict', message: `A run ${command.runId} exists already; send the plan under a new id.` });
    }
    const decision = createRun(command, contextOf(actor));
    return decision.ok ? ok(changeRun(command.runId, decision.value)) : decision;
  }

  function runInput(input: RunInput, actor: string): Result<readonly Position[], Refusal> {
    const decision = decideRun(state.working.run(input.runId), input, contextOf(actor));
    return decision.ok ? ok(changeRun(input.runId, decision.value)) : decision;
  }

  return {
    command(command, actor) {
      if (isFleetCommand(command)) return fleetCommand(command, actor);
      return command.type === 'run-create' ? runCreate(command, actor) : runInput(command, actor);
    },
    input(input) {
      const decided = runInput(input, RELAY);
      return decided.ok ? ok(null) : decided;
    },
    facts(deviceId, facts) {
      for (const fact of facts) {
        const device = state.working.fleet().devices.get(deviceId);
        if (device !== undefined) changeFleet(eventsOfFact(device, fact, clock.now()));
      }
    },
    afterStart() {
      for (const device of state.working.fleet().devices.values()) changeFleet(eventsAfterStart(device, clock.now()));
      for (const { runId, tasks } of state.working.liveRuns()) {
        for (const task of tasks.values()) {
          const attempt = liveAttempt(task);
          if (attempt === undefined || attempt.state.phase === 'queued') continue;
          const { taskId } = task;
          runInput({ type: 'attempt-lost', runId, taskId, attempt: attempt.number, reason: RESTARTED }, RELAY);
        }
        plan(runId);
      }
    },
    summarise() {
      for (const run of state.changedRuns()) {
        const summary = summaryOf(run);
        if (JSON.stringify(summary) === JSON.stringify(state.summary(run.runId))) continue;
        state.setSummary(summary);
        writer.add(RUNS_STREAM, { type: 'run-summarised', summary });
      }
    },
  };
}

function isFleetCommand(command: FleetCommand | RunCommand | RunCreate): command is FleetCommand {
  return command.type.startsWith('device-');
}
