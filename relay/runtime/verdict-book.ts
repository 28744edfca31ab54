import { z } from 'zod';
import { refusalSchema } from '@/lib/relay-protocol/down';
import { positionSchema } from '@/lib/relay-protocol/streams';
import { canonicalJson } from '@/lib/std/canonical-json';
import type { Clock } from '@/lib/std/clock';
import type { JsonValue } from '@/lib/std/json';
import type { Engine, KvWrite } from '@/relay/engine/engine';
import type { CommandInput, Verdict } from './runtime-port';

/** Longer than any sender keeps a command that it might send again. */
const KEPT_MS = 24 * 60 * 60 * 1_000;
const SPACE = 'verdict';

const entrySchema = z.strictObject({
  mark: z.string(),
  outcome: z.discriminatedUnion('status', [
    z.strictObject({ status: z.literal('accepted'), positions: z.array(positionSchema) }),
    z.strictObject({ status: z.literal('rejected'), refusal: refusalSchema }),
  ]),
});
type Entry = z.infer<typeof entrySchema>;

/** The first verdict on each command, so that the same command sent twice is done once. */
export type VerdictBook = {
  /** What was said already; a refusal when the same id came with another command. */
  find(input: CommandInput): Verdict | undefined;
  /** The record to be stored in the batch that the command itself is stored in. */
  record(input: CommandInput, verdict: Verdict): KvWrite;
  /** The open batch is settled, one way or the other. */
  forgetOpen(): void;
};

export type VerdictBookOptions = {
  readonly engine: Engine;
  readonly clock: Pick<Clock, 'now'>;
  /** One way, so that a command with a secret leaves no trace. */
  readonly fingerprint: (text: string) => string;
};

export function createVerdictBook({ engine, clock, fingerprint }: VerdictBookOptions): VerdictBook {
  const open = new Map<string, Entry>();

  function read(key: string): Entry | undefined {
    const text = engine.kv.get(SPACE, key);
    return text === undefined ? undefined : entrySchema.parse(JSON.parse(text));
  }

  return {
    find(input) {
      const key = keyOf(input);
      const entry = open.get(key) ?? read(key);
      if (entry === undefined) return undefined;
      if (entry.mark !== fingerprint(bodyOf(input))) {
        const message = `The id ${input.commandId} was used for another command; send a new command under a new id.`;
        return { status: 'rejected', refusal: { code: 'conflict', message } };
      }
      if (entry.outcome.status === 'rejected') return entry.outcome;
      return { status: 'duplicate', positions: entry.outcome.positions };
    },
    record(input, verdict) {
      const outcome: Entry['outcome'] =
        verdict.status === 'rejected' ? verdict : { status: 'accepted', positions: [...verdict.positions] };
      const entry: Entry = { mark: fingerprint(bodyOf(input)), outcome };
      const key = keyOf(input);
      open.set(key, entry);
      return { op: 'put', space: SPACE, key, value: JSON.stringify(entry), expiresAtMs: clock.now() + KEPT_MS };
    },
    forgetOpen: () => open.clear(),
  };
}

function keyOf({ actor, commandId }: CommandInput): string {
  return `${actor.via}/${actor.name}/${commandId}`;
}

/** What makes two commands the same. The id of a new run is made anew with each request, so it does not count. */
function bodyOf({ command }: CommandInput): string {
  if (command.type !== 'run-create') return canonicalJson(plain(command));
  const { runId: _runId, outcomes, ...rest } = command;
  return canonicalJson(plain({ ...rest, outcomes: [...outcomes] }));
}

/** As JSON would carry it: members that are undefined fall away. */
function plain(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
