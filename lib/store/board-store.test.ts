import { expect, test } from 'vitest';
import type { Device } from '@/lib/fleet/device';
import { toFleetSnapshot } from '@/lib/fleet/fleet-snapshot';
import { aDevice, aFleet } from '@/lib/fleet/testing/a-fleet';
import type { DownFrame, StreamEvent } from '@/lib/relay-protocol/down';
import { toRunsSnapshot } from '@/lib/relay-protocol/runs-snapshot';
import { FLEET_STREAM, RUNS_STREAM, runStream, type StreamName } from '@/lib/relay-protocol/streams';
import type { RunSummary } from '@/lib/run/run-summary';
import { commandIdSchema, deviceIdSchema, runIdSchema } from '@/lib/std/ids';
import { boardFolds } from './board-folds';
import { createBoardStore } from './board-store';

const LINUX = deviceIdSchema.parse('linux-1');
const RUN_ID = runIdSchema.parse('a'.repeat(32));
const COMMAND_ID = commandIdSchema.parse('command-1');

function aBoard(...streams: readonly StreamName[]) {
  const flushes: (() => void)[] = [];
  const board = createBoardStore({ folds: boardFolds, schedule: (flush) => flushes.push(flush) });
  for (const stream of streams) board.follow(stream);
  const paint = () => {
    for (const flush of flushes.splice(0)) flush();
  };
  const say = (frame: DownFrame) => board.applyFrame(frame, 1_000);
  return { ...board, paint, say, flushes };
}

function fleetSnapshot(number: number, ...devices: readonly Device[]): DownFrame {
  const text = JSON.stringify(toFleetSnapshot(aFleet(...devices)));
  return { type: 'snapshot', stream: FLEET_STREAM, epoch: 'e1', number, part: 1, parts: 1, text };
}

function fleetEvents(number: number, ...events: readonly StreamEvent[]): DownFrame {
  return { type: 'events', stream: FLEET_STREAM, epoch: 'e1', number, events: [...events] };
}

function statusChanged(status: Device['status']): StreamEvent {
  return { type: 'device-status-changed', atMs: 5, deviceId: LINUX, status, reason: null, connectionAttempts: 0 };
}

function welcome(streams: Extract<DownFrame, { type: 'welcome' }>['streams'] = [], nowMs = 1_000): DownFrame {
  return {
    type: 'welcome',
    protocolVersion: 1,
    connectionId: 'c',
    actor: 'ada',
    role: 'operator',
    nowMs,
    heartbeat: { pingEveryMs: 20_000, giveUpAfterMs: 35_000 },
    limits: { frameBytesMax: 1, commandsUnansweredMax: 1 },
    streams,
  };
}

function aSummary(id: string, name: string): RunSummary {
  return {
    runId: runIdSchema.parse(id.repeat(32)),
    constellationId: 'c',
    name,
    state: 'created',
    createdAtMs: 1,
    createdBy: 'ada',
    launchedAtMs: null,
    startedAtMs: null,
    endedAtMs: null,
    taskCount: 1,
    counts: { pending: 1, running: 0, completed: 0, failed: 0, cancelled: 0 },
    firstFailure: null,
  };
}

test('everything that one frame changes is shown in the same paint', () => {
  const { state, say, paint, flushes } = aBoard(FLEET_STREAM);
  say(fleetSnapshot(1, aDevice('linux-1')));
  say(fleetEvents(2, statusChanged('busy')));
  expect(state.getState().fleet).toEqual({ phase: 'loading' });
  expect(flushes).toHaveLength(1);

  let paints = 0;
  state.subscribe(() => {
    paints += 1;
  });
  paint();

  expect(paints).toBe(1);
  const { fleet } = state.getState();
  expect(fleet.phase === 'ready' && fleet.value.devices.get(LINUX)?.status).toBe('busy');
});

test('the link is shown as open only together with what the welcome says is missing', () => {
  const { state, say, paint, linkChanged } = aBoard(FLEET_STREAM);
  const seen: string[] = [];
  state.subscribe(({ link, catchUp }) => seen.push(`${link.phase} ${catchUp.snapshots}`));
  say(welcome([{ stream: FLEET_STREAM, epoch: 'e1', number: 1, mode: 'snapshot' }]));
  linkChanged({ phase: 'open' });
  paint();
  say(fleetSnapshot(1, aDevice('linux-1')));
  paint();
  expect(seen).toEqual(['open 1', 'open 0']);
});

test('devices that no event names keep their identity, so nothing of theirs is painted', () => {
  const { state, say, paint } = aBoard(FLEET_STREAM);
  say(fleetSnapshot(1, aDevice('linux-1'), aDevice('linux-2')));
  paint();
  const other = deviceIdSchema.parse('linux-2');
  const before = state.getState().fleet;
  say(fleetEvents(2, statusChanged('busy')));
  paint();
  const after = state.getState().fleet;
  if (before.phase !== 'ready' || after.phase !== 'ready') throw new Error('expected two copies');
  expect(after.value.devices.get(other)).toBe(before.value.devices.get(other));
});

test('a hole is asked for again from the last event that was applied', () => {
  const board = aBoard(FLEET_STREAM);
  board.say(fleetSnapshot(4, aDevice('linux-1')));
  expect(board.say(fleetEvents(7, statusChanged('busy')))).toEqual([FLEET_STREAM]);
  expect(board.cursorOf(FLEET_STREAM)).toEqual({ epoch: 'e1', number: 4 });
});

test('frames of a stream that nobody follows are dropped', () => {
  const { state, say, paint } = aBoard();
  expect(say(fleetSnapshot(1, aDevice('linux-1')))).toEqual([]);
  paint();
  expect(state.getState().fleet).toEqual({ phase: 'loading' });
});

test('the welcome tells who is signed in and how far the clocks are apart', () => {
  const { state, say, paint } = aBoard();
  say(welcome([], 4_000));
  paint();
  expect(state.getState().session).toEqual({ actor: 'ada', role: 'operator' });
  expect(state.getState().relayAheadMs).toBe(3_000);
});

test('the board says how far it is behind until every stream has reached what the welcome named', () => {
  const { state, say, paint } = aBoard(FLEET_STREAM, RUNS_STREAM);
  say(fleetSnapshot(1, aDevice('linux-1')));
  say(
    welcome([
      { stream: FLEET_STREAM, epoch: 'e1', number: 3, mode: 'replay' },
      { stream: RUNS_STREAM, epoch: 'e9', number: 8, mode: 'snapshot' },
    ]),
  );
  paint();
  expect(state.getState().catchUp).toEqual({ events: 2, snapshots: 1 });

  const runs = { type: 'snapshot', stream: RUNS_STREAM, epoch: 'e9', number: 8, part: 1, parts: 1 } as const;
  say({ ...runs, text: JSON.stringify(toRunsSnapshot([])) });
  say(fleetEvents(2, statusChanged('busy'), statusChanged('idle')));
  paint();
  expect(state.getState().catchUp).toEqual({ events: 0, snapshots: 0 });
});

test('a run that the relay does not know is told as missing', () => {
  const { state, say, paint } = aBoard(runStream(RUN_ID));
  say(welcome([{ stream: runStream(RUN_ID), epoch: 'x', number: 0, mode: 'unknown' }]));
  paint();
  expect(state.getState().runs.get(RUN_ID)).toEqual({ phase: 'missing' });
});

test('a run that is asked for while connected and does not exist is told as missing', () => {
  const { state, say, paint } = aBoard(runStream(RUN_ID));
  say({ type: 'error', code: 'unknown-stream', message: 'no', stream: runStream(RUN_ID) });
  paint();
  expect(state.getState().runs.get(RUN_ID)).toEqual({ phase: 'missing' });
});

test('a forgotten run leaves nothing behind', () => {
  const { state, forget, paint } = aBoard(runStream(RUN_ID));
  paint();
  expect(state.getState().runs.has(RUN_ID)).toBe(true);
  forget(runStream(RUN_ID));
  paint();
  expect(state.getState().runs.size).toBe(0);
});

test('new runs stand first in the list and known ones keep their place', () => {
  const { state, say, paint } = aBoard(RUNS_STREAM);
  const summarised = (summary: RunSummary): StreamEvent => ({ type: 'run-summarised', summary });
  say({
    type: 'snapshot',
    stream: RUNS_STREAM,
    epoch: 'e1',
    number: 2,
    part: 1,
    parts: 1,
    text: JSON.stringify(toRunsSnapshot([aSummary('b', 'second'), aSummary('a', 'first')])),
  });
  say({
    type: 'events',
    stream: RUNS_STREAM,
    epoch: 'e1',
    number: 3,
    events: [
      summarised(aSummary('c', 'third')),
      summarised(aSummary('a', 'first again')),
      summarised(aSummary('d', 'fourth')),
    ],
  });
  paint();
  const { runList } = state.getState();
  const names = runList.phase === 'ready' ? [...runList.value.values()].map(({ name }) => name) : [];
  expect(names).toEqual(['fourth', 'third', 'second', 'first again']);
});

test('a mark of a command stays until its events are on the board', () => {
  const { state, say, paint, commandSent, commandSettled } = aBoard(FLEET_STREAM);
  say(fleetSnapshot(1, aDevice('linux-1')));
  commandSent(COMMAND_ID, { type: 'device-refresh', deviceId: LINUX, when: 'now' });
  commandSettled(COMMAND_ID, [{ stream: FLEET_STREAM, epoch: 'e1', number: 2 }]);
  paint();
  expect(state.getState().pending.has(COMMAND_ID)).toBe(true);
  say(fleetEvents(2, statusChanged('busy')));
  paint();
  expect(state.getState().pending.size).toBe(0);
});

test('a mark of a refused command, or of one that wrote elsewhere, goes at once', () => {
  const { state, say, paint, commandSent, commandSettled } = aBoard(FLEET_STREAM);
  say(fleetSnapshot(1, aDevice('linux-1')));
  commandSent(COMMAND_ID, { type: 'run-launch', runId: RUN_ID });
  commandSettled(COMMAND_ID, [{ stream: runStream(RUN_ID), epoch: 'e1', number: 9 }]);
  paint();
  expect(state.getState().pending.size).toBe(0);
  commandSent(COMMAND_ID, { type: 'run-launch', runId: RUN_ID });
  commandSettled(COMMAND_ID, []);
  paint();
  expect(state.getState().pending.size).toBe(0);
});

test('of a register only a newer version counts, and a new connection begins to count anew', () => {
  const { state, say, paint } = aBoard(FLEET_STREAM);
  const heard = (version: number, value: number): DownFrame => ({
    type: 'register',
    stream: FLEET_STREAM,
    key: 'heard/linux-1',
    version,
    value,
  });
  say(heard(5, 500));
  say(heard(4, 400));
  paint();
  expect(state.getState().heardAtMs.get(LINUX)).toBe(500);
  say(welcome());
  say(heard(1, 900));
  paint();
  expect(state.getState().heardAtMs.get(LINUX)).toBe(900);
});
