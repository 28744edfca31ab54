import { runIdOf } from '@/lib/relay-protocol/streams';
import type { Clock } from '@/lib/std/clock';
import type { DeviceId } from '@/lib/std/ids';
import type { Logger } from '@/lib/std/logger';
import type { Random } from '@/lib/std/random';
import { err, ok } from '@/lib/std/result';
import type { Engine } from '@/relay/engine/engine';
import { EngineError } from '@/relay/engine/engine-error';
import type { AddressPolicy } from '@/relay/links/address-policy';
import type { LinkHost } from '@/relay/links/link-host';
import type { LinkPool, LinkPoolMaker } from '@/relay/links/link-pool';
import type { SecretBox } from '@/relay/links/secrets';
import { createDecider } from './decider';
import { createDeviceSecrets } from './device-secrets';
import { startForgetting } from './forget-devices';
import { keepResult } from './keep-result';
import { applyEffects, queuedOrders } from './link-effects';
import { createOutputBook } from './output-book';
import { createJournalReader } from './recover';
import { createHeardBook } from './registers';
import { createRelayState } from './relay-state';
import type { CommandInput, Committed, Register, Runtime, Verdict } from './runtime-port';
import { createSnapshotKeeper, snapshotText } from './snapshots';
import { createVerdictBook } from './verdict-book';
import { createWriter } from './writer';

export type RuntimeOptions = {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly box: SecretBox;
  readonly links: LinkPoolMaker;
  readonly policyFor: (deviceId: DeviceId) => AddressPolicy;
  /** Away for this long, a device is removed; undefined keeps it for ever. */
  readonly forgetAfterMs?: number | undefined;
  /** Devices that the relay itself brings, and never forgets. */
  readonly builtInIds: ReadonlySet<string>;
  /** Runs a step when the loop has nothing else to do. */
  readonly whenIdle: (step: () => void) => void;
  /** The journal failed: the process is to end with an error, for its supervisor to start it again. */
  readonly onFatal: (cause: unknown) => void;
};

/**
 * The one writer. Every input is decided and folded in memory at once and joins the open batch; answers, publication and
 * what the links are to do wait until the batch is on disk.
 *
 * Reads the journal first, so it returns with the state of before, attempts of the old process told as lost.
 *
 * @throws EngineError when the journal cannot be read or written
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { engine, clock, random, logger, box, policyFor } = options;
  const reader = createJournalReader(engine, logger);
  const state = createRelayState({ fleet: reader.fleet(), summaries: reader.summaries(), load: reader.run });
  const secrets = createDeviceSecrets({ engine, box, random, policyFor });
  const verdicts = createVerdictBook({ engine, clock, fingerprint: box.fingerprint });
  const saveSnapshots = createSnapshotKeeper({ engine, state, logger });
  const committedListeners = new Set<(committed: readonly Committed[]) => void>();
  const registerListeners = new Set<(register: Register) => void>();
  const heardBook = createHeardBook(clock, (register) => tellAll(registerListeners, register));
  const outputBook = createOutputBook(clock, (register) => tellAll(registerListeners, register));
  let links: LinkPool | undefined;
  let isClosing = false;

  const writer = createWriter({
    engine,
    clock,
    whenIdle: options.whenIdle,
    beforeCommit: () => decider.summarise(),
    afterCommit,
    onFailure,
  });
  const decider = createDecider({ state, writer, clock, random, logger, secrets });

  function afterCommit(committed: readonly Committed[]): void {
    state.commit();
    verdicts.forgetOpen();
    saveSnapshots(committed);
    for (const { event } of committed) if (event.type === 'device-removed') heardBook.forget(event.deviceId);
    tellAll(committedListeners, committed);
  }

  function onFailure(cause: unknown): void {
    state.discard();
    verdicts.forgetOpen();
    logger.error('journal-failed', { reason: cause instanceof Error ? cause.message : String(cause) });
    links?.close().catch((failure: unknown) => logger.error('links-not-closed', { reason: String(failure) }));
    options.onFatal(cause);
  }

  /** A listener that throws has its own trouble; the commit stands and the others are told. */
  function tellAll<News>(listeners: ReadonlySet<(news: News) => void>, news: News): void {
    for (const listener of listeners) {
      try {
        listener(news);
      } catch (cause) {
        logger.error('listener-failed', {
          reason: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
        });
      }
    }
  }

  async function submit(input: CommandInput): Promise<Verdict> {
    if (isClosing || !writer.isAlive)
      throw new EngineError('closed', 'The relay is stopping and takes no more commands');
    const known = verdicts.find(input);
    if (known !== undefined) {
      await writer.settled();
      return known;
    }
    if (input.deadlineMs !== undefined && input.deadlineMs < clock.now()) {
      const message = `The command came ${clock.now() - input.deadlineMs} ms after its deadline; send it again if it is still wanted.`;
      return { status: 'rejected', refusal: { code: 'expired', message } };
    }
    const decided = decider.command(input.command, input.actor.name);
    const verdict: Verdict = decided.ok
      ? { status: 'accepted', positions: decided.value }
      : { status: 'rejected', refusal: decided.error };
    writer.put(verdicts.record(input, verdict));
    const settled = writer.settled();
    writer.closeIfOld();
    await settled;
    if (decided.ok && input.command.type === 'device-reconnect') links?.reconnect(input.command.deviceId);
    return verdict;
  }

  const host: LinkHost = {
    async report(report) {
      const decided = decider.input(report);
      const settled = writer.settled();
      writer.closeIfOld();
      await settled;
      if (report.type === 'attempt-ended' || report.type === 'attempt-lost') outputBook.end(report);
      return decided.ok ? ok(null) : err(decided.error.message);
    },
    tell(deviceId, facts) {
      decider.facts(deviceId, facts);
      const settled = writer.settled();
      writer.closeIfOld();
      return settled;
    },
    heard: (deviceId, atMs) => heardBook.heard(deviceId, atMs),
    outputBegins: (order, isLive) => outputBook.begin(order, isLive),
    output: (order, lines) => outputBook.add(order, lines),
    keepResult: (value) => keepResult(engine.blobs, value),
    serverUrl(deviceId) {
      const device = state.committed.fleet().devices.get(deviceId);
      return device === undefined ? err('the device is not known any more') : secrets.open(device.profile);
    },
  };

  // Runs under way are read now, so that the planner and the queues have them; others when somebody asks.
  for (const { runId, state: word } of state.summaries()) if (word === 'executing') state.committed.run(runId);
  decider.afterStart();
  writer.flush();
  if (!writer.isAlive) throw new EngineError('io', 'The journal cannot be written; see the line before in the log');
  const pool = options.links(host);
  links = pool;
  committedListeners.add((committed) => applyEffects(pool, state.committed, committed));
  for (const device of state.committed.fleet().devices.values()) pool.add(device.profile);
  for (const order of queuedOrders(state.committed)) pool.enqueue(order);

  const { forgetAfterMs, builtInIds } = options;
  const stopForgetting =
    forgetAfterMs === undefined
      ? undefined
      : startForgetting({
          clock,
          forgetAfterMs,
          builtInIds,
          devices: () => state.committed.fleet().devices.values(),
          remove(deviceId) {
            const removed = decider.command({ type: 'device-remove', deviceId }, 'relay');
            if (removed.ok) logger.info('device-forgotten', { deviceId, afterMs: forgetAfterMs });
          },
        });

  return {
    submit,
    fleet: () => state.committed.fleet(),
    run: (runId) => state.committed.run(runId),
    runSummaries: () => state.summaries(),
    lastHeardAtMs: (deviceId) => heardBook.lastHeardAtMs(deviceId),
    taskOutput: (runId, taskId, after) => outputBook.read({ runId, taskId }, after),
    head: (stream) => engine.head(stream),
    readAfter: (stream, number, limit) => engine.readAfter(stream, number, limit),
    hasStream(stream) {
      const runId = runIdOf(stream);
      return runId === undefined || state.committed.run(runId) !== undefined;
    },
    snapshot(stream) {
      const text = snapshotText(state, stream);
      if (text === undefined) throw new Error(`Expected a known stream, got "${stream}"; ask hasStream first`);
      return { cursor: engine.head(stream), text };
    },
    registers: (stream) => [...heardBook.registers(stream), ...outputBook.registers(stream)],
    onCommitted(listener) {
      committedListeners.add(listener);
      return () => committedListeners.delete(listener);
    },
    onRegister(listener) {
      registerListeners.add(listener);
      return () => registerListeners.delete(listener);
    },
    isReady: () => writer.isAlive && !isClosing,
    async close() {
      isClosing = true;
      stopForgetting?.();
      await links?.close();
      outputBook.close();
      writer.flush();
    },
  };
}
