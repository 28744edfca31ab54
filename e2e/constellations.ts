import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './child-program';

type Star = {
  readonly id: string;
  readonly device: string;
  readonly request: string;
  readonly after?: readonly string[];
};

/** The reference's JSON form with only what a person would write. */
export function constellationOf(name: string, stars: readonly Star[]) {
  return {
    constellation_id: name,
    name,
    state: 'created',
    tasks: Object.fromEntries(
      stars.map((star) => [
        star.id,
        {
          task_id: star.id,
          name: star.id,
          description: star.request,
          target_device_id: star.device,
          status: 'pending',
        },
      ]),
    ),
    dependencies: Object.fromEntries(
      stars.flatMap((star) =>
        (star.after ?? []).map((from) => [
          `${from}-${star.id}`,
          {
            line_id: `${from}-${star.id}`,
            from_task_id: from,
            to_task_id: star.id,
            dependency_type: 'success_only',
            condition_description: '',
          },
        ]),
      ),
    ),
  };
}

/** Tasks in a row on one device, each of which takes a while. */
export function chainOf(name: string, options: { length: number; device: string; seconds: number }) {
  return constellationOf(
    name,
    Array.from({ length: options.length }, (_, index) => ({
      id: `step-${index + 1}`,
      device: options.device,
      request: `$ sleep ${options.seconds}\n$ echo step ${index + 1} done`,
      ...(index === 0 ? {} : { after: [`step-${index}`] }),
    })),
  );
}

type Example = { tasks: Record<string, { description: string; task_description: string; target_device_id: string }> };

/** An example of the project with some of its requests written anew. */
export function exampleWith(file: string, requests: Readonly<Record<string, string>>): Example {
  const example: Example = JSON.parse(readFileSync(join(ROOT, 'examples', file), 'utf8'));
  for (const [taskId, request] of Object.entries(requests)) {
    const task = example.tasks[taskId];
    if (task === undefined) throw new Error(`${file} has no task ${taskId}`);
    task.description = request;
    task.task_description = request;
  }
  return example;
}

/** The morning log sweep with requests that the built-in agent can run, each long enough to be seen running. */
export const LOG_SWEEP_REQUESTS = {
  'sweep-1':
    '$ sleep 1\n\nwrite_file path=web-a.log content="08:01 ERROR disk full"\n$ grep -E "ERROR|FATAL" web-a.log',
  'sweep-2':
    '$ sleep 1\n\nwrite_file path=web-b.log content="08:02 FATAL out of memory"\n$ grep -E "ERROR|FATAL" web-b.log',
  'sweep-3': '$ sleep 1\n\nwrite_file path=queue-c.log content="08:03 ERROR lag"\n$ grep -E "ERROR|FATAL" queue-c.log',
  workbook: '$ sleep 1\n\nwrite_file path=incidents.csv content="host,level,message"\n$ wc -l incidents.csv',
  mail: '$ sleep 1\n$ echo "Log sweep: 3 errors"',
} as const;
