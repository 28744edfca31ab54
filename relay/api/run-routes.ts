import { z } from 'zod';
import { constellationStateSchema } from '@/lib/constellation/constellation';
import type { RunCommand } from '@/lib/run/commands';
import type { Run } from '@/lib/run/run';
import { runDocumentSchema } from '@/lib/run/run-document';
import { summaryOf } from '@/lib/run/summary-of';
import { toRunDocument } from '@/lib/run/to-run-document';
import { deviceIdSchema, type RunId, runIdSchema, type TaskId, taskIdSchema } from '@/lib/std/ids';
import type { Random } from '@/lib/std/random';
import { err, ok, type Result } from '@/lib/std/result';
import type { Runtime } from '@/relay/runtime/runtime-port';
import type { ApiContext, ApiRoute, RouteParameter } from './api-env';
import { IDEMPOTENCY_HEADER, sendCommand } from './commanding';
import { problemResponse } from './problem';
import { readJson } from './read-body';
import { runRowSchema, toRunRow } from './run-resource';

const BODY_BYTES_MAX = 16_384;
const ROWS_DEFAULT = 200;
const ROWS_MAX = 1_000;

export const runListSchema = z.strictObject({ runs: z.array(runRowSchema) });
const reasonBody = z.strictObject({ reason: z.string().max(1024).optional() });
const deviceBody = z.strictObject({ device_id: deviceIdSchema.optional() });
const placeBody = z.strictObject({
  device_id: deviceIdSchema.nullable(),
  base_revision: z.int().min(0).optional(),
});

const ID = { name: 'id', in: 'path', about: 'Id of the run.' } as const;
const TASK_ID = { name: 'taskId', in: 'path', about: 'Id of the task.' } as const;

type Ports = { readonly runtime: Runtime; readonly random: Random };
type TaskAction = {
  readonly name: 'dispatch' | 'cancel' | 'retry' | 'place';
  readonly summary: string;
  readonly body: z.ZodType;
  readonly need: 'required' | 'optional';
  /** Reads the body and makes the command of it. */
  command(context: ApiContext, run: Run, taskId: TaskId): Promise<Result<RunCommand, Response>>;
};

export function runRoutes(ports: Ports): readonly ApiRoute[] {
  const { runtime } = ports;
  return [
    {
      method: 'get',
      path: '/v1/runs',
      summary: 'Runs, newest first',
      access: 'signed-in',
      parameters: [
        { name: 'limit', in: 'query', about: `How many, at most ${ROWS_MAX}; ${ROWS_DEFAULT} if absent.` },
        { name: 'before', in: 'query', about: 'Id of a run: only older ones.' },
        { name: 'state', in: 'query', about: 'Only runs in this state.' },
      ],
      answers: { 200: { about: 'The rows.', schema: runListSchema } },
      handle: (context) => listRuns(runtime, context),
    },
    {
      method: 'get',
      path: '/v1/runs/{id}',
      summary: 'One run: the constellation with status, result, error, times and attempts',
      access: 'signed-in',
      parameters: [ID],
      answers: { 200: { about: 'The run.', schema: runDocumentSchema } },
      handle(context) {
        const run = findRun(runtime, context);
        return run.ok ? context.json(toRunDocument(run.value, runtime.fleet())) : run.error;
      },
    },
    runAction(ports, {
      name: 'launch',
      summary: 'Launch a draft',
      command: async (_context, runId) => ok({ type: 'run-launch', runId }),
    }),
    runAction(ports, {
      name: 'cancel',
      summary: 'Cancel a run: nothing new is started, what runs is cancelled',
      body: reasonBody,
      async command(context, runId) {
        const body = await readJson(context, reasonBody, BODY_BYTES_MAX);
        return body.ok ? ok({ type: 'run-cancel', runId, ...body.value }) : body;
      },
    }),
    ...TASK_ACTIONS.map((action) => taskRoute(ports, action)),
  ];
}

const TASK_ACTIONS: readonly TaskAction[] = [
  {
    name: 'dispatch',
    summary: 'Send a ready task to its device, or to another one',
    body: deviceBody,
    need: 'optional',
    async command(context, { runId }, taskId) {
      const body = await readJson(context, deviceBody, BODY_BYTES_MAX);
      return body.ok ? ok({ type: 'task-dispatch', runId, taskId, ...onDevice(body.value) }) : body;
    },
  },
  {
    name: 'cancel',
    summary: 'Cancel a task',
    body: reasonBody,
    need: 'optional',
    async command(context, { runId }, taskId) {
      const body = await readJson(context, reasonBody, BODY_BYTES_MAX);
      return body.ok ? ok({ type: 'task-cancel', runId, taskId, ...body.value }) : body;
    },
  },
  {
    name: 'retry',
    summary: 'Try a failed or cancelled task again, on its device or another one',
    body: deviceBody,
    need: 'optional',
    async command(context, { runId }, taskId) {
      const body = await readJson(context, deviceBody, BODY_BYTES_MAX);
      return body.ok ? ok({ type: 'task-retry', runId, taskId, ...onDevice(body.value) }) : body;
    },
  },
  {
    name: 'place',
    summary: 'Place a task on a device, or on none (null)',
    body: placeBody,
    need: 'required',
    async command(context, { runId, revision }, taskId) {
      const body = await readJson(context, placeBody, BODY_BYTES_MAX);
      if (!body.ok) return body;
      const { device_id, base_revision } = body.value;
      return ok({ type: 'task-place', runId, taskId, deviceId: device_id, baseRevision: base_revision ?? revision });
    },
  },
];

type RunAction = {
  readonly name: 'launch' | 'cancel';
  readonly summary: string;
  readonly body?: z.ZodType;
  command(context: ApiContext, runId: RunId): Promise<Result<RunCommand, Response>>;
};

function runAction(ports: Ports, action: RunAction): ApiRoute {
  return {
    ...actionRoute(`/v1/runs/{id}/${action.name}`, action.summary, [ID]),
    ...(action.body === undefined ? {} : { body: jsonBody(action.body, 'optional') }),
    async handle(context) {
      const run = findRun(ports.runtime, context);
      if (!run.ok) return run.error;
      const command = await action.command(context, run.value.runId);
      return command.ok ? answerAfter(ports, context, command.value) : command.error;
    },
  };
}

function taskRoute(ports: Ports, action: TaskAction): ApiRoute {
  return {
    ...actionRoute(`/v1/runs/{id}/tasks/{taskId}/${action.name}`, action.summary, [ID, TASK_ID]),
    body: jsonBody(action.body, action.need),
    async handle(context) {
      const found = findTask(ports.runtime, context);
      if (!found.ok) return found.error;
      const command = await action.command(context, found.value.run, found.value.taskId);
      return command.ok ? answerAfter(ports, context, command.value) : command.error;
    },
  };
}

function actionRoute(path: string, summary: string, parameters: readonly RouteParameter[]) {
  return {
    method: 'post',
    path,
    summary,
    access: 'signed-in',
    parameters: [...parameters, IDEMPOTENCY_HEADER],
    answers: { 200: { about: 'The run as it is now; GET it for its tasks.', schema: runRowSchema } },
  } as const;
}

function jsonBody(schema: z.ZodType, need: 'required' | 'optional') {
  return { mediaType: 'application/json', schema, need };
}

async function answerAfter(ports: Ports, context: ApiContext, command: RunCommand): Promise<Response> {
  const sent = await sendCommand(ports, context, command);
  if (!sent.ok) return sent.error;
  const run = ports.runtime.run(command.runId);
  return run === undefined ? unknownRun(context) : context.json(toRunRow(summaryOf(run)));
}

function listRuns(runtime: Runtime, context: ApiContext): Response {
  const limit = z.coerce
    .number()
    .int()
    .min(1)
    .max(ROWS_MAX)
    .safeParse(context.req.query('limit') ?? ROWS_DEFAULT);
  const state = constellationStateSchema.optional().safeParse(context.req.query('state'));
  if (!limit.success || !state.success) {
    const detail = limit.success
      ? `Expected state to be one of ${constellationStateSchema.options.join(', ')}.`
      : `Expected limit to be a whole number from 1 to ${ROWS_MAX}.`;
    return problemResponse({ status: 422, code: 'invalid', detail });
  }
  const all = runtime.runSummaries();
  const before = context.req.query('before');
  const start = before === undefined ? 0 : all.findIndex((summary) => summary.runId === before) + 1;
  const rest = before !== undefined && start === 0 ? [] : all.slice(start);
  const chosen = rest.filter((summary) => state.data === undefined || summary.state === state.data);
  return context.json({ runs: chosen.slice(0, limit.data).map(toRunRow) });
}

function findRun(runtime: Runtime, context: ApiContext): Result<Run, Response> {
  const runId = runIdSchema.safeParse(context.req.param('id'));
  const run = runId.success ? runtime.run(runId.data) : undefined;
  return run === undefined ? err(unknownRun(context)) : ok(run);
}

/** The task that a path names, of a run that exists; else the answer that says what is missing. */
export function findTask(runtime: Runtime, context: ApiContext): Result<{ run: Run; taskId: TaskId }, Response> {
  const run = findRun(runtime, context);
  if (!run.ok) return run;
  const taskId = taskIdSchema.safeParse(context.req.param('taskId'));
  if (!taskId.success || !run.value.tasks.has(taskId.data)) return err(unknownTask(context, run.value.runId));
  return ok({ run: run.value, taskId: taskId.data });
}

function unknownRun(context: ApiContext): Response {
  const id = (context.req.param('id') ?? '').slice(0, 100);
  return problemResponse({
    status: 404,
    code: 'run-unknown',
    detail: `There is no run "${id}"; GET /v1/runs lists them.`,
  });
}

function unknownTask(context: ApiContext, runId: RunId): Response {
  const id = (context.req.param('taskId') ?? '').slice(0, 100);
  const detail = `Run ${runId} has no task "${id}"; GET /v1/runs/${runId} shows them.`;
  return problemResponse({ status: 404, code: 'task-unknown', detail });
}

function onDevice(body: z.infer<typeof deviceBody>) {
  return body.device_id === undefined ? {} : { deviceId: body.device_id };
}
