import type { ConstellationDocument } from '@/lib/constellation/constellation';
import type { DependencyType, TaskStar, TaskStarLine } from '@/lib/constellation/task-star';
import { constellationIdSchema, lineIdSchema, taskIdSchema } from '@/lib/std/ids';
import type { JsonObject } from '@/lib/std/json';

const AT = '2025-11-06T09:00:00+00:00';

export function aStar(id: string, change: Partial<TaskStar> = {}): TaskStar {
  return {
    taskId: taskIdSchema.parse(id),
    name: id,
    description: `Do ${id}`,
    tips: null,
    targetDeviceId: 'linux-1',
    deviceType: null,
    priority: 2,
    timeoutMs: null,
    retryCount: 0,
    taskData: {},
    expectedOutputType: null,
    createdAt: AT,
    updatedAt: AT,
    ...change,
  };
}

export type LineDraft = readonly [from: string, to: string, type?: DependencyType, metadata?: JsonObject];

/** The id is `from->to`, with `#2`, `#3` … for further lines between the same two. */
export function aLine([from, to, type = 'unconditional', metadata = {}]: LineDraft, count = 1): TaskStarLine {
  return {
    lineId: lineIdSchema.parse(`${from}->${to}${count === 1 ? '' : `#${count}`}`),
    fromTaskId: taskIdSchema.parse(from),
    toTaskId: taskIdSchema.parse(to),
    dependencyType: type,
    conditionDescription: '',
    metadata,
    createdAt: AT,
    updatedAt: AT,
  };
}

export function aPlan(stars: readonly (string | TaskStar)[], lines: readonly LineDraft[] = []): ConstellationDocument {
  const counts = new Map<string, number>();
  return {
    constellationId: constellationIdSchema.parse('plan'),
    name: 'A plan',
    metadata: {},
    createdAt: AT,
    updatedAt: AT,
    tasks: stars.map((star) => (typeof star === 'string' ? aStar(star) : star)),
    lines: lines.map((draft) => {
      const pair = `${draft[0]}->${draft[1]}`;
      const count = (counts.get(pair) ?? 0) + 1;
      counts.set(pair, count);
      return aLine(draft, count);
    }),
  };
}

/** `s0 → s1 → …`, each behind the one before. */
export function aChain(length: number, type: DependencyType = 'success_only'): ConstellationDocument {
  const ids = Array.from({ length }, (_, index) => `s${index}`);
  return aPlan(
    ids,
    ids.slice(1).map((id, index): LineDraft => [`s${index}`, id, type]),
  );
}
