import { z } from 'zod';
import { type ConstellationReading, readConstellationText } from '@/lib/constellation/codec';
import type { ImportProblem } from '@/lib/constellation/import-report';
import { type ImportWarning, importWarningSchema } from '@/lib/constellation/import-warning';
import { runCreatedSchema } from '@/lib/relay-protocol/http';
import { type Position, runIdOf } from '@/lib/relay-protocol/streams';
import type { Refusal, RunCreate } from '@/lib/run/commands';
import { createRun } from '@/lib/run/decide-run';
import type { RunContext } from '@/lib/run/decision';
import type { Clock } from '@/lib/std/clock';
import { type RunId, runIdSchema } from '@/lib/std/ids';
import { jsonObjectSchema } from '@/lib/std/json';
import type { Random } from '@/lib/std/random';
import { sha256Hex } from '@/relay/auth/digest';
import { may } from '@/relay/auth/may';
import type { Kv } from '@/relay/engine/engine';
import type { Runtime } from '@/relay/runtime/runtime-port';
import type { ApiContext, ApiRoute } from './api-env';
import { commandIdOf, IDEMPOTENCY_HEADER } from './commanding';
import { problemResponse, refusalResponse } from './problem';
import { flagIn } from './query-flag';
import { isJsonType, readText, wrongMediaType } from './read-body';

const ANSWERS_SPACE = 'run-answers';
const ANSWERS_MS = 86_400_000;

export const runCheckedSchema = z.strictObject({
  id: z.null(),
  warnings: z.array(importWarningSchema),
});
const keptAnswerSchema = z.strictObject({ bodyHash: z.string(), answer: runCreatedSchema });

export type RunImportPorts = {
  readonly runtime: Runtime;
  readonly kv: Kv;
  readonly clock: Clock;
  readonly random: Random;
  readonly requestBytesMax: number;
};

export function runImportRoute(ports: RunImportPorts): ApiRoute {
  return {
    method: 'post',
    path: '/v1/runs',
    summary: "A new run from a constellation, in the reference's to_dict form or its schema form",
    access: 'signed-in',
    parameters: [
      { name: 'launch', in: 'query', about: 'true launches at once; a task without a known device is then an error.' },
      { name: 'dry_run', in: 'query', about: 'true only checks; nothing is stored.' },
      IDEMPOTENCY_HEADER,
    ],
    body: { mediaType: 'application/json', schema: jsonObjectSchema, need: 'required' },
    answers: {
      200: { about: 'It could be stored (dry_run=true).', schema: runCheckedSchema },
      201: { about: 'It is stored, and launched if that was asked.', schema: runCreatedSchema },
    },
    handle: (context) => importRun(ports, context),
  };
}

async function importRun(ports: RunImportPorts, context: ApiContext): Promise<Response> {
  const { runtime, kv, clock, random } = ports;
  const { actor } = context.get('identity');
  const allowed = may(actor, 'run-create');
  if (!allowed.ok) return refusalResponse(allowed.error);
  const isLaunch = flagIn(context, 'launch');
  if (!isLaunch.ok) return isLaunch.error;
  const isDryRun = flagIn(context, 'dry_run');
  if (!isDryRun.ok) return isDryRun.error;
  const launch = isLaunch.value ? 'at-once' : 'draft';
  const wrongType = wrongMediaType(context, isJsonType, 'application/json');
  if (wrongType !== undefined) return wrongType;
  const commandId = commandIdOf(context, random);
  if (!commandId.ok) return commandId.error;
  const text = await readText(context, ports.requestBytesMax);
  if (!text.ok) return text.error;

  const answerKey = sha256Hex(JSON.stringify([actor.name, commandId.value]));
  const bodyHash = sha256Hex(`${launch} ${text.value}`);
  const kept = isDryRun.value ? undefined : keptAnswer(kv, answerKey);
  if (kept !== undefined) return kept.bodyHash === bodyHash ? created(context, kept.answer) : keyReused();

  const nowMs = clock.now();
  const reading = readConstellationText(text.value, { nowMs, newHex: () => random.hex(4) });
  if (!reading.ok) return unreadable(reading.error);
  const create = toCreate(reading.value, launch, random);
  const checked = check(create, { nowMs, actor: actor.name, fleet: runtime.fleet(), sessionHex: () => random.hex(16) });
  if (!checked.ok) return checked.response;
  if (isDryRun.value) return context.json({ id: null, warnings: copyOf(checked.warnings) });

  const verdict = await runtime.submit({ commandId: commandId.value, actor, command: create });
  if (verdict.status === 'rejected') return refusedLaunch(verdict.refusal, placementErrors(create, checked.warnings));
  const runId = writtenRun(verdict.positions) ?? create.runId;
  const run = runtime.run(runId);
  const answer = { id: runId, warnings: copyOf(run?.warnings ?? checked.warnings) };
  if (context.req.header(IDEMPOTENCY_HEADER.name) !== undefined) {
    const value = JSON.stringify({ bodyHash, answer });
    kv.write([{ op: 'put', space: ANSWERS_SPACE, key: answerKey, value, expiresAtMs: nowMs + ANSWERS_MS }]);
  }
  return created(context, answer);
}

/** Each request makes an id of its own, but of two that come at once under one key only the first one's run exists. */
function writtenRun(positions: readonly Position[]): RunId | undefined {
  return positions.map(({ stream }) => runIdOf(stream)).find((runId) => runId !== undefined);
}

function toCreate(reading: ConstellationReading, launch: RunCreate['launch'], random: Random): RunCreate {
  return {
    type: 'run-create',
    runId: runIdSchema.parse(random.hex(16)),
    document: reading.document,
    outcomes: reading.outcomes,
    warnings: reading.warnings,
    launch,
  };
}

type Checked =
  | { readonly ok: true; readonly warnings: readonly ImportWarning[] }
  | { readonly ok: false; readonly response: Response };

/** The same rules as the writer's, asked beforehand: so that all places can be named, and nothing is stored. */
function check(create: RunCreate, context: RunContext): Checked {
  const draft = createRun({ ...create, launch: 'draft' }, context);
  if (!draft.ok) return { ok: false, response: refusalResponse(draft.error) };
  const [first] = draft.value;
  const warnings = first?.type === 'run-created' ? first.warnings : create.warnings;
  if (create.launch === 'draft') return { ok: true, warnings };
  const launched = createRun(create, context);
  if (launched.ok) return { ok: true, warnings };
  return { ok: false, response: refusedLaunch(launched.error, placementErrors(create, warnings)) };
}

function refusedLaunch(refusal: Refusal, errors: readonly ImportWarning[]): Response {
  const isPlacement = refusal.code === 'device-missing' || refusal.code === 'device-unknown';
  return refusalResponse(refusal, isPlacement && errors.length > 0 ? copyOf(errors) : undefined);
}

/** What is a warning on a draft is an error on launch; the warnings of the file itself are not among them. */
function placementErrors(create: RunCreate, warnings: readonly ImportWarning[]): { path: string; message: string }[] {
  return copyOf(warnings.filter((warning) => !create.warnings.includes(warning)));
}

function copyOf(warnings: readonly ImportWarning[]): { path: string; message: string }[] {
  return warnings.map(({ path, message }) => ({ path, message }));
}

/** Not JSON is a bad request; JSON that is no constellation is one that cannot be processed. */
function unreadable(problems: readonly ImportProblem[]): Response {
  const [first] = problems;
  const isNotJson = first?.rule === 'not_json';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const where = first?.path ? `${first.path}: ` : '';
  return problemResponse({
    status: isNotJson ? 400 : 422,
    code: isNotJson ? 'not-json' : 'invalid-constellation',
    detail: `${where}${first?.message ?? 'expected a constellation'}${more}`,
    errors: problems.map(({ path, rule, message }) => ({ path: path || '(file)', rule, message })),
  });
}

function created(context: ApiContext, answer: z.infer<typeof runCreatedSchema>): Response {
  context.header('location', `/v1/runs/${answer.id}`);
  return context.json(answer, 201);
}

function keptAnswer(kv: Kv, key: string): z.infer<typeof keptAnswerSchema> | undefined {
  const text = kv.get(ANSWERS_SPACE, key);
  return text === undefined ? undefined : keptAnswerSchema.parse(JSON.parse(text));
}

function keyReused(): Response {
  const detail = 'This Idempotency-Key was used for another request; send a new one.';
  return problemResponse({ status: 409, code: 'conflict', detail });
}
