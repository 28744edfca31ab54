import type { FleetCommand } from '@/lib/fleet/commands';
import { decideFleet } from '@/lib/fleet/decide-fleet';
import { EMPTY_FLEET, type Fleet } from '@/lib/fleet/device';
import { evolveFleetAll } from '@/lib/fleet/evolve-fleet';
import { advanceRun } from '@/lib/orchestrator/advance-run';
import type { StreamEvent } from '@/lib/relay-protocol/down';
import { isFleetEvent } from '@/lib/relay-protocol/event-kinds';
import { FLEET_STREAM, RUNS_STREAM, runIdOf, runStream, type StreamName } from '@/lib/relay-protocol/streams';
import { decideRun } from '@/lib/run/decide';
import { createRun } from '@/lib/run/decide-run';
import type { RunEvent } from '@/lib/run/events';
import { evolveRunAll } from '@/lib/run/evolve';
import type { Run } from '@/lib/run/run';
import { summaryOf } from '@/lib/run/summary-of';
import type { Clock } from '@/lib/std/clock';
import type { RunId } from '@/lib/std/ids';
import type { Random } from '@/lib/std/random';
import type { Engine } from '@/relay/engine/engine';
import { createMemoryEngine } from '@/relay/engine/memory-engine';
import type { CommandInput, Committed, Register, Runtime, TaskOutput, Verdict } from '@/relay/runtime/runtime-port';

export type FakeRuntime = Runtime & {
  readonly engine: Engine;
  /** Commits events as a device link or a rule would. */
  commit(stream: StreamName, events: readonly StreamEvent[]): void;
  setRegister(register: Register): void;
  /** What every task has put out, if anything. */
  output: TaskOutput | undefined;
  readonly submitted: readonly CommandInput[];
  /** The next snapshot of any stream is this text. */
  snapshotText: string | undefined;
  ready: boolean;
};

/** The port with the real rules over a memory engine: no devices, no batches, commits at once. */
export function createFakeRuntime(ports: { clock: Clock; random: Random }): FakeRuntime {
  const { clock, random } = ports;
  const engine = createMemoryEngine({ clock, random });
  const runs = new Map<RunId, Run>();
  const committedListeners = new Set<(committed: readonly Committed[]) => void>();
  const registerListeners = new Set<(register: Register) => void>();
  const registers = new Map<string, Register>();
  const verdicts = new Map<string, { body: string; verdict: Verdict }>();
  const submitted: CommandInput[] = [];
  let fleet: Fleet = EMPTY_FLEET;

  function commit(stream: StreamName, events: readonly StreamEvent[]): Committed[] {
    const positions = engine.append({ events: events.map((event) => ({ stream, event })), kv: [] });
    const first = positions.at(-1);
    if (first === undefined) return [];
    const start = engine.head(stream).number - events.length;
    const committed = events.map((event, index) => ({
      position: { stream, epoch: first.epoch, number: start + index + 1 },
      event,
    }));
    for (const listener of committedListeners) listener(committed);
    return committed;
  }

  function verdictOf(input: CommandInput): Verdict {
    const { command, actor } = input;
    const context = { nowMs: clock.now(), actor: actor.name, fleet, sessionHex: () => random.hex(16) };
    if (isFleetCommand(command)) {
      const sealAddress = (_: unknown, serverUrl: string) => ({
        serverUrl: serverUrl.split('?')[0] ?? '',
        secretRef: null,
      });
      const decision = decideFleet(fleet, command, { ...context, sealAddress, liveAttempts: () => 0 });
      if (!decision.ok) return { status: 'rejected', refusal: decision.error };
      fleet = evolveFleetAll(fleet, decision.value);
      return { status: 'accepted', positions: commit(FLEET_STREAM, decision.value).map((item) => item.position) };
    }
    const { runId } = command;
    const old = runs.get(runId);
    const decision = command.type === 'run-create' ? createRun(command, context) : decideRun(old, command, context);
    if (!decision.ok) return { status: 'rejected', refusal: decision.error };
    const decided = evolveRunAll(old, decision.value);
    const advanced = advanceRun(decided, context);
    runs.set(runId, advanced.run);
    const events: RunEvent[] = [...decision.value, ...advanced.events];
    const committed = commit(runStream(runId), events);
    commit(RUNS_STREAM, [{ type: 'run-summarised', summary: summaryOf(advanced.run) }]);
    return { status: 'accepted', positions: committed.map((item) => item.position) };
  }

  const runtime: FakeRuntime = {
    engine,
    submitted,
    snapshotText: undefined,
    output: undefined,
    ready: true,
    async submit(input) {
      submitted.push(input);
      const key = `${input.actor.name} ${input.commandId}`;
      // A new run's id is made anew with each request, so it does not count.
      const body = JSON.stringify(
        input.command.type === 'run-create' ? { ...input.command, runId: '' } : input.command,
      );
      const known = verdicts.get(key);
      if (known !== undefined) {
        if (known.body !== body) {
          return { status: 'rejected', refusal: { code: 'conflict', message: 'The same id with another command.' } };
        }
        return known.verdict.status === 'accepted' ? { ...known.verdict, status: 'duplicate' } : known.verdict;
      }
      if (input.deadlineMs !== undefined && input.deadlineMs < clock.now()) {
        return { status: 'rejected', refusal: { code: 'expired', message: 'Too late.' } };
      }
      const verdict = verdictOf(input);
      verdicts.set(key, { body, verdict });
      return verdict;
    },
    fleet: () => fleet,
    run: (runId) => runs.get(runId),
    runSummaries: () => [...runs.values()].map(summaryOf).reverse(),
    lastHeardAtMs: () => undefined,
    taskOutput: () => runtime.output,
    head: (stream) => engine.head(stream),
    readAfter: (stream, number, limit) => engine.readAfter(stream, number, limit),
    hasStream(stream) {
      const runId = runIdOf(stream);
      return runId === undefined || runs.has(runId) || engine.head(stream).number > 0;
    },
    /** Without a fixed text: all events so far, so that a test's fold is the list of events. */
    snapshot(stream) {
      const cursor = engine.head(stream);
      const events = engine.readAfter(stream, 0, cursor.number).map((stored) => stored.event);
      return { cursor, text: runtime.snapshotText ?? JSON.stringify(events) };
    },
    registers: (stream) => [...registers.values()].filter((register) => register.stream === stream),
    onCommitted(listener) {
      committedListeners.add(listener);
      return () => committedListeners.delete(listener);
    },
    onRegister(listener) {
      registerListeners.add(listener);
      return () => registerListeners.delete(listener);
    },
    isReady: () => runtime.ready,
    async close() {
      runtime.ready = false;
    },
    commit: (stream, events) => {
      if (stream === FLEET_STREAM) fleet = evolveFleetAll(fleet, events.filter(isFleetEvent));
      commit(stream, events);
    },
    setRegister(register) {
      registers.set(`${register.stream} ${register.key}`, register);
      for (const listener of registerListeners) listener(register);
    },
  };
  return runtime;
}

function isFleetCommand(command: CommandInput['command']): command is FleetCommand {
  return command.type.startsWith('device-');
}
