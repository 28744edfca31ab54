import type { Fleet } from '@/lib/fleet/device';
import type { FleetEvent } from '@/lib/fleet/events';
import { evolveFleetAll } from '@/lib/fleet/evolve-fleet';
import { parseFleetSnapshot } from '@/lib/fleet/fleet-snapshot';
import { parseRunsSnapshot } from '@/lib/relay-protocol/runs-snapshot';
import type { RunEvent } from '@/lib/run/events';
import { evolveRunAll } from '@/lib/run/evolve';
import type { Run } from '@/lib/run/run';
import { parseRunSnapshot } from '@/lib/run/run-snapshot';
import type { RunSummary, RunsEvent } from '@/lib/run/run-summary';
import type { RunId } from '@/lib/std/ids';
import { parseJson } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';
import type { RunList } from './board-state';
import type { StreamFold } from './stream-track';

/** One fold per kind of stream. */
export type BoardFolds = {
  readonly fleet: StreamFold<Fleet, FleetEvent>;
  readonly runList: StreamFold<RunList, RunsEvent>;
  readonly run: StreamFold<Run, RunEvent>;
};

/** What a device returned is part of a run's snapshot, so depth and keys are as free as on the device's own wire. */
function readJson<Value>(text: string, parse: (value: unknown) => Result<Value, string>): Result<Value, string> {
  const json = parseJson(text, { depthMax: 256, protoKey: 'keep' });
  return json.ok ? parse(json.value) : err(json.error.message);
}

/** The relay's own readers and folds: there is no second copy of them. */
export const boardFolds: BoardFolds = {
  fleet: { read: (text) => readJson(text, parseFleetSnapshot), fold: evolveFleetAll },
  runList: { read: (text) => readJson(text, readRunList), fold: foldRunList },
  run: { read: (text) => readJson(text, parseRunSnapshot), fold: evolveRunAll },
};

function readRunList(value: unknown): Result<RunList, string> {
  const summaries = parseRunsSnapshot(value);
  if (!summaries.ok) return summaries;
  return ok(new Map(summaries.value.map((summary) => [summary.runId, summary])));
}

/** A run that is known keeps its place; a new one goes to the front. */
function foldRunList(list: RunList, events: readonly RunsEvent[]): RunList {
  const known = new Map(list);
  const fresh = new Map<RunId, RunSummary>();
  for (const { summary } of events) {
    if (known.has(summary.runId)) known.set(summary.runId, summary);
    else fresh.set(summary.runId, summary);
  }
  return fresh.size === 0 ? known : new Map([...[...fresh].reverse(), ...known]);
}
