import { EMPTY_FLEET, type Fleet } from '@/lib/fleet/device';
import { evolveFleetAll } from '@/lib/fleet/evolve-fleet';
import { parseFleetSnapshot } from '@/lib/fleet/fleet-snapshot';
import type { StreamEvent } from '@/lib/relay-protocol/down';
import { isFleetEvent, isRunEvent, isRunsEvent } from '@/lib/relay-protocol/event-kinds';
import { parseRunsSnapshot } from '@/lib/relay-protocol/runs-snapshot';
import { FLEET_STREAM, RUNS_STREAM, runStream, type StreamName } from '@/lib/relay-protocol/streams';
import { startFold } from '@/lib/run/evolve';
import type { Run } from '@/lib/run/run';
import { parseRunSnapshot } from '@/lib/run/run-snapshot';
import type { RunSummary } from '@/lib/run/run-summary';
import type { RunId } from '@/lib/std/ids';
import type { Logger } from '@/lib/std/logger';
import { err, type Result } from '@/lib/std/result';
import type { Engine } from '@/relay/engine/engine';

/** Read in pieces, so that a long stream is never in memory as a whole. */
const EVENTS_PER_READ = 1_000;

export type JournalReader = {
  fleet(): Fleet;
  /** Oldest first. */
  summaries(): readonly RunSummary[];
  run(runId: RunId): Run | undefined;
};

/** Reads state from the journal: the last snapshot of a stream, and what came after it. */
export function createJournalReader(engine: Engine, logger: Logger): JournalReader {
  function start<Value>(stream: StreamName, parse: (value: unknown) => Result<Value, string>) {
    const snapshot = engine.loadSnapshot(stream);
    if (snapshot === undefined) return { value: undefined, number: 0 };
    const parsed = parseText(snapshot.text, parse);
    if (parsed.ok) return { value: parsed.value, number: snapshot.number };
    logger.warn('snapshot-unreadable', { stream, reason: parsed.error });
    return { value: undefined, number: 0 };
  }

  function* tail(stream: StreamName, afterNumber: number): Generator<readonly StreamEvent[]> {
    let number = afterNumber;
    for (;;) {
      const stored = engine.readAfter(stream, number, EVENTS_PER_READ);
      const last = stored.at(-1);
      if (last === undefined) return;
      yield stored.map(({ event }) => event);
      number = last.number;
    }
  }

  return {
    fleet() {
      const { value, number } = start(FLEET_STREAM, parseFleetSnapshot);
      let fleet = value ?? EMPTY_FLEET;
      for (const events of tail(FLEET_STREAM, number)) fleet = evolveFleetAll(fleet, events.filter(isFleetEvent));
      return fleet;
    },
    summaries() {
      const { value, number } = start(RUNS_STREAM, parseRunsSnapshot);
      const known = new Map([...(value ?? [])].reverse().map((summary) => [summary.runId, summary]));
      for (const events of tail(RUNS_STREAM, number)) {
        for (const { summary } of events.filter(isRunsEvent)) known.set(summary.runId, summary);
      }
      return [...known.values()];
    },
    run(runId) {
      const stream = runStream(runId);
      const { value, number } = start(stream, parseRunSnapshot);
      const fold = startFold(value);
      let isKnown = value !== undefined;
      for (const events of tail(stream, number)) {
        for (const event of events.filter(isRunEvent)) fold.apply(event);
        isKnown = true;
      }
      return isKnown ? fold.current() : undefined;
    },
  };
}

function parseText<Value>(text: string, parse: (value: unknown) => Result<Value, string>): Result<Value, string> {
  try {
    return parse(JSON.parse(text));
  } catch (cause) {
    return err(cause instanceof Error ? cause.message : String(cause));
  }
}
