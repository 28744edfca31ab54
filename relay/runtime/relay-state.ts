import { EMPTY_FLEET, type Fleet } from '@/lib/fleet/device';
import type { FleetEvent } from '@/lib/fleet/events';
import { evolveFleetAll } from '@/lib/fleet/evolve-fleet';
import type { RunEvent } from '@/lib/run/events';
import { evolveRunAll } from '@/lib/run/evolve';
import type { Run } from '@/lib/run/run';
import type { RunSummary } from '@/lib/run/run-summary';
import type { RunId } from '@/lib/std/ids';

/** Runs that have ended and are kept at hand; any other is read from the journal again. */
const RUNS_AT_HAND_MAX = 200;

/** One layer of state: what is on disk, or that with the open batch on top. */
export type StateView = {
  fleet(): Fleet;
  run(runId: RunId): Run | undefined;
  /** Runs that are under way. */
  liveRuns(): readonly Run[];
};

/**
 * The folds in memory. Rules see what the open batch has already decided; everybody else sees what is on disk.
 */
export type RelayState = {
  readonly committed: StateView;
  readonly working: StateView;
  /** Newest first. */
  summaries(): readonly RunSummary[];
  summary(runId: RunId): RunSummary | undefined;
  applyFleet(events: readonly FleetEvent[]): void;
  applyRun(runId: RunId, events: readonly RunEvent[]): Run;
  setSummary(summary: RunSummary): void;
  changedRuns(): readonly Run[];
  /** The open batch is on disk. */
  commit(): void;
  /** The open batch is not on disk, and never was. */
  discard(): void;
};

export type StateOptions = {
  readonly fleet?: Fleet;
  /** Oldest first. */
  readonly summaries?: readonly RunSummary[];
  /** Reads a run that is not at hand. */
  readonly load: (runId: RunId) => Run | undefined;
};

export function createRelayState({ fleet = EMPTY_FLEET, summaries = [], load }: StateOptions): RelayState {
  const runs = new Map<RunId, Run>();
  const stored = new Map<RunId, RunSummary>(summaries.map((summary) => [summary.runId, summary]));
  const changed = new Map<RunId, Run>();
  const newSummaries = new Map<RunId, RunSummary>();
  let storedFleet = fleet;
  let workingFleet = fleet;

  function storedRun(runId: RunId): Run | undefined {
    const atHand = runs.get(runId);
    if (atHand !== undefined) return atHand;
    if (!stored.has(runId)) return undefined;
    const run = load(runId);
    if (run !== undefined) runs.set(runId, run);
    return run;
  }

  function workingRun(runId: RunId): Run | undefined {
    return changed.get(runId) ?? storedRun(runId);
  }

  /** Those that were asked for longest ago go first; a run under way stays. */
  function makeRoom(): void {
    for (const [runId, run] of runs) {
      if (runs.size <= RUNS_AT_HAND_MAX) return;
      if (run.state !== 'executing') runs.delete(runId);
    }
  }

  return {
    committed: {
      fleet: () => storedFleet,
      run: storedRun,
      liveRuns: () => [...runs.values()].filter(isUnderWay),
    },
    working: {
      fleet: () => workingFleet,
      run: workingRun,
      liveRuns: () => [...new Map([...runs, ...changed]).values()].filter(isUnderWay),
    },
    summaries: () => [...stored.values()].reverse(),
    summary: (runId) => newSummaries.get(runId) ?? stored.get(runId),
    applyFleet(events) {
      workingFleet = evolveFleetAll(workingFleet, events);
    },
    applyRun(runId, events) {
      const run = evolveRunAll(workingRun(runId), events);
      changed.set(runId, run);
      return run;
    },
    setSummary: (summary) => newSummaries.set(summary.runId, summary),
    changedRuns: () => [...changed.values()],
    commit() {
      storedFleet = workingFleet;
      for (const [runId, run] of changed) runs.set(runId, run);
      for (const [runId, summary] of newSummaries) stored.set(runId, summary);
      changed.clear();
      newSummaries.clear();
      makeRoom();
    },
    discard() {
      workingFleet = storedFleet;
      changed.clear();
      newSummaries.clear();
    },
  };
}

function isUnderWay(run: Run): boolean {
  return run.state === 'executing';
}
