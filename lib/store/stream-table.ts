import type { Fleet } from '@/lib/fleet/device';
import type { FleetEvent } from '@/lib/fleet/events';
import type { DownFrame, StreamEvent } from '@/lib/relay-protocol/down';
import { isFleetEvent, isRunEvent, isRunsEvent } from '@/lib/relay-protocol/event-kinds';
import {
  type Cursor,
  FLEET_STREAM,
  type Position,
  RUNS_STREAM,
  runIdOf,
  type StreamName,
} from '@/lib/relay-protocol/streams';
import type { RunEvent } from '@/lib/run/events';
import type { Run } from '@/lib/run/run';
import type { RunsEvent } from '@/lib/run/run-summary';
import type { RunId } from '@/lib/std/ids';
import type { BoardFolds } from './board-folds';
import type { BoardState, RunList } from './board-state';
import { createRegisterTable } from './register-table';
import {
  afterReconnect,
  NEW_TRACK,
  type StreamCopy,
  type StreamFold,
  type StreamTrack,
  type TrackStep,
  takeEvents,
  takePosition,
  takeReset,
  takeSnapshotPart,
} from './stream-track';

type FrameOf<Type extends DownFrame['type']> = Extract<DownFrame, { type: Type }>;
type StreamFrame = FrameOf<'snapshot' | 'events' | 'position' | 'reset'>;
type WelcomeStreams = FrameOf<'welcome'>['streams'];

/** All streams that the page follows, each with its track. */
export type StreamTable = {
  follow(stream: StreamName): void;
  forget(stream: StreamName): void;
  welcome(streams: WelcomeStreams): void;
  /** The relay has no such stream. */
  missing(stream: StreamName): void;
  /** @returns whether the stream must be asked for again */
  take(frame: StreamFrame): boolean;
  /** @returns whether the value was newer than the one kept */
  takeRegister(frame: FrameOf<'register'>): boolean;
  cursorOf(stream: StreamName): Cursor | null;
  /** True for positions of streams that nobody follows or that began anew: nothing will ever be seen of them here. */
  hasReached(positions: readonly Position[]): boolean;
  catchUp(): BoardState['catchUp'];
  fleet(): StreamCopy<Fleet>;
  runList(): StreamCopy<RunList>;
  /** @returns `before` itself when no run has changed */
  runs(before: BoardState['runs']): BoardState['runs'];
  heardAtMs(): BoardState['heardAtMs'];
  outputMarks(): BoardState['outputMarks'];
};

export function createStreamTable(folds: BoardFolds): StreamTable {
  let fleet: StreamTrack<Fleet> | undefined;
  let runList: StreamTrack<RunList> | undefined;
  const runs = new Map<RunId, StreamTrack<Run>>();
  const targets = new Map<StreamName, Cursor>();
  const registers = createRegisterTable();

  function trackOf(stream: StreamName): StreamTrack<unknown> | undefined {
    if (stream === FLEET_STREAM) return fleet;
    if (stream === RUNS_STREAM) return runList;
    const runId = runIdOf(stream);
    return runId === undefined ? undefined : runs.get(runId);
  }

  /** Does the same to a track of any kind, and keeps its type. */
  function change(stream: StreamName, changer: <Value>(track: StreamTrack<Value>) => StreamTrack<Value>): void {
    const runId = runIdOf(stream);
    if (stream === FLEET_STREAM && fleet !== undefined) fleet = changer(fleet);
    if (stream === RUNS_STREAM && runList !== undefined) runList = changer(runList);
    const run = runId === undefined ? undefined : runs.get(runId);
    if (runId !== undefined && run !== undefined) runs.set(runId, changer(run));
  }

  function hasReachedOne(position: Position): boolean {
    const track = trackOf(position.stream);
    if (track === undefined || track.copy.phase === 'broken' || track.copy.phase === 'missing') return true;
    if (track.cursor === null) return false;
    return track.cursor.epoch !== position.epoch || track.cursor.number >= position.number;
  }

  return {
    follow(stream) {
      if (stream === FLEET_STREAM) fleet ??= NEW_TRACK;
      else if (stream === RUNS_STREAM) runList ??= NEW_TRACK;
      const runId = runIdOf(stream);
      if (runId !== undefined && !runs.has(runId)) runs.set(runId, NEW_TRACK);
    },
    forget(stream) {
      targets.delete(stream);
      if (stream === FLEET_STREAM) fleet = undefined;
      else if (stream === RUNS_STREAM) runList = undefined;
      const runId = runIdOf(stream);
      if (runId !== undefined) runs.delete(runId);
      registers.forget(stream);
    },
    welcome(streams) {
      targets.clear();
      registers.welcome();
      for (const { stream, epoch, number, mode } of streams) {
        change(stream, afterReconnect);
        if (mode === 'unknown') change(stream, missingTrack);
        else targets.set(stream, { epoch, number });
        if (mode === 'snapshot') change(stream, takeReset);
      }
    },
    missing(stream) {
      targets.delete(stream);
      change(stream, missingTrack);
    },
    take(frame) {
      if (frame.type === 'reset') {
        change(frame.stream, takeReset);
        return false;
      }
      const runId = runIdOf(frame.stream);
      const run = runId === undefined ? undefined : runs.get(runId);
      if (frame.stream === FLEET_STREAM && fleet !== undefined) {
        const step = takeFrame<Fleet, FleetEvent>(fleet, frame, { fold: folds.fleet, isOurs: isFleetEvent });
        fleet = step.track;
        return step.askAgain;
      }
      if (frame.stream === RUNS_STREAM && runList !== undefined) {
        const step = takeFrame<RunList, RunsEvent>(runList, frame, { fold: folds.runList, isOurs: isRunsEvent });
        runList = step.track;
        return step.askAgain;
      }
      if (runId !== undefined && run !== undefined) {
        const step = takeFrame<Run, RunEvent>(run, frame, { fold: folds.run, isOurs: isRunEvent });
        runs.set(runId, step.track);
        return step.askAgain;
      }
      return false;
    },
    takeRegister: (frame) => registers.take(frame),
    cursorOf: (stream) => trackOf(stream)?.cursor ?? null,
    hasReached: (positions) => positions.every(hasReachedOne),
    catchUp() {
      let events = 0;
      let snapshots = 0;
      for (const [stream, target] of targets) {
        const cursor = trackOf(stream)?.cursor;
        if (cursor === undefined) continue;
        if (cursor === null || cursor.epoch !== target.epoch) snapshots += 1;
        else if (cursor.number < target.number) events += target.number - cursor.number;
        else targets.delete(stream);
      }
      return { events, snapshots };
    },
    fleet: () => fleet?.copy ?? NEW_TRACK.copy,
    runList: () => runList?.copy ?? NEW_TRACK.copy,
    runs(before) {
      const isSame = before.size === runs.size && [...runs].every(([runId, track]) => before.get(runId) === track.copy);
      return isSame ? before : new Map([...runs].map(([runId, track]) => [runId, track.copy]));
    },
    heardAtMs: () => registers.heardAtMs(),
    outputMarks: () => registers.outputMarks(),
  };
}

function missingTrack<Value>(): StreamTrack<Value> {
  return { ...NEW_TRACK, copy: { phase: 'missing' } };
}

function takeFrame<Value, Event extends StreamEvent>(
  track: StreamTrack<Value>,
  frame: Exclude<StreamFrame, { type: 'reset' }>,
  kind: { readonly fold: StreamFold<Value, Event>; isOurs(event: StreamEvent): event is Event },
): TrackStep<Value> {
  if (frame.type === 'snapshot') return takeSnapshotPart(track, frame, kind.fold);
  if (frame.type === 'position') return takePosition(track, frame);
  return takeEvents(track, { ...frame, events: frame.events.filter(kind.isOurs) }, kind.fold);
}
