import { z } from 'zod';
import { type TaskOutputResource, taskOutputSchema } from '@/lib/relay-protocol/http';
import type { Runtime, TaskOutput } from '@/relay/runtime/runtime-port';
import type { ApiRoute } from './api-env';
import { problemResponse } from './problem';
import { findTask } from './run-routes';

const NOTHING: TaskOutputResource = {
  attempt: null,
  is_live: null,
  first_line: 0,
  start_line: 0,
  next_line: 0,
  lines: [],
};

/** What a task prints while it runs. Whoever reads on names the line that comes next, and the attempt that it is of. */
export function taskOutputRoute(runtime: Runtime): ApiRoute {
  return {
    method: 'get',
    path: '/v1/runs/{id}/tasks/{taskId}/output',
    summary:
      'What a task has printed so far: the newest 64 KiB of its newest attempt, in lines. Not kept over a restart',
    access: 'signed-in',
    parameters: [
      { name: 'id', in: 'path', about: 'Id of the run.' },
      { name: 'taskId', in: 'path', about: 'Id of the task.' },
      { name: 'after', in: 'query', about: 'Only lines from this number on: `next_line` of the answer before.' },
      { name: 'attempt', in: 'query', about: 'Whose lines `after` counts; lines of another attempt come whole.' },
    ],
    answers: { 200: { about: 'The lines.', schema: taskOutputSchema } },
    handle(context) {
      const found = findTask(runtime, context);
      if (!found.ok) return found.error;
      const place = placeSchema.safeParse(context.req.query());
      if (!place.success) {
        const detail = 'Expected after and attempt to be whole numbers from 0 on.';
        return problemResponse({ status: 422, code: 'invalid', detail });
      }
      const { after, attempt } = place.data;
      const { run, taskId } = found.value;
      const output = runtime.taskOutput(run.runId, taskId, after);
      if (output === undefined) return context.json(NOTHING);
      const isOther = attempt !== undefined && attempt !== output.attempt;
      return context.json(toResource((isOther && runtime.taskOutput(run.runId, taskId, 0)) || output));
    },
  };
}

const placeSchema = z.object({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  attempt: z.coerce.number().int().min(0).optional(),
});

function toResource(output: TaskOutput): TaskOutputResource {
  return {
    attempt: output.attempt,
    is_live: output.isLive,
    first_line: output.firstLine,
    start_line: output.startLine,
    next_line: output.nextLine,
    lines: [...output.lines],
  };
}
