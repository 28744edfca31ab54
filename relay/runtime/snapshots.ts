import { toFleetSnapshot } from '@/lib/fleet/fleet-snapshot';
import { toRunsSnapshot } from '@/lib/relay-protocol/runs-snapshot';
import { FLEET_STREAM, RUNS_STREAM, runIdOf, type StreamName } from '@/lib/relay-protocol/streams';
import { toRunSnapshot } from '@/lib/run/run-snapshot';
import type { Logger } from '@/lib/std/logger';
import type { Engine } from '@/relay/engine/engine';
import type { RelayState } from './relay-state';
import type { Committed } from './runtime-port';

/** So many events are folded at most when a stream is read again. */
const EVENTS_PER_SNAPSHOT = 500;
/** A large state is written less often: one more event is waited for per so many characters of it. */
const CHARACTERS_PER_EVENT = 1_024;

/** State of a stream as JSON text, as it is on disk. */
export function snapshotText(state: RelayState, stream: StreamName): string | undefined {
  if (stream === FLEET_STREAM) return JSON.stringify(toFleetSnapshot(state.committed.fleet()));
  if (stream === RUNS_STREAM) return JSON.stringify(toRunsSnapshot(state.summaries()));
  const runId = runIdOf(stream);
  const run = runId === undefined ? undefined : state.committed.run(runId);
  return run === undefined ? undefined : JSON.stringify(toRunSnapshot(run));
}

/** Saves snapshots as streams grow. Called with each commit, once the state is the committed one. */
export function createSnapshotKeeper(ports: { engine: Engine; state: RelayState; logger: Logger }) {
  const { engine, state, logger } = ports;
  const saved = new Map<StreamName, Saved>();

  function savedOf(stream: StreamName): Saved {
    const known = saved.get(stream);
    if (known !== undefined) return known;
    const snapshot = engine.loadSnapshot(stream);
    const found = { number: snapshot?.number ?? 0, size: snapshot?.text.length ?? 0 };
    saved.set(stream, found);
    return found;
  }

  function isDue(stream: StreamName, number: number): boolean {
    if (number < EVENTS_PER_SNAPSHOT) return false;
    const last = savedOf(stream);
    return number - last.number >= Math.max(EVENTS_PER_SNAPSHOT, last.size / CHARACTERS_PER_EVENT);
  }

  return (committed: readonly Committed[]): void => {
    const heads = new Map(committed.map(({ position }) => [position.stream, position.number]));
    for (const [stream, number] of heads) {
      try {
        if (!isDue(stream, number)) continue;
        const text = snapshotText(state, stream);
        if (text === undefined) continue;
        engine.saveSnapshot(stream, number, text);
        saved.set(stream, { number, size: text.length });
      } catch (cause) {
        // The events are on disk, and a snapshot only spares reading them.
        logger.warn('snapshot-failed', { stream, reason: cause instanceof Error ? cause.message : String(cause) });
      }
    }
  };
}

type Saved = { readonly number: number; readonly size: number };
