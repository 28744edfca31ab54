import { expect, test } from 'vitest';
import { z } from 'zod';
import { lineIdSchema, type TaskId, taskIdSchema } from '@/lib/std/ids';
import { isJsonObject, type JsonValue, jsonValueSchema } from '@/lib/std/json';
import type { ConditionEvaluator, TaskFacts } from './condition';
import type { DependencyType, Priority, TaskStar, TaskStarLine } from './task-star';
import { aLine, aStar } from './testing/a-plan';
import { blockedTasks, readyTasks } from './testing/plan-lists';
import vectors from './testing/vectors/ready_sequences.json';

const lineSchema = z.tuple([z.string(), z.string()]).rest(z.unknown());
const answerSchema = z.object({ ready: z.array(z.string()), blocked: z.array(z.string()).optional() });
const stepSchema = z.object({
  do: z.object({
    op: z.string(),
    task: z.string().optional(),
    result: jsonValueSchema.optional(),
    priority: z.string().optional(),
    line: lineSchema.optional(),
    line_id: z.string().optional(),
  }),
  expect: answerSchema.extend({ error: z.string().optional(), recommended: answerSchema.partial().optional() }),
});
const caseSchema = z.object({
  id: z.string(),
  note: z.string(),
  tasks: z.array(z.union([z.string(), z.object({ id: z.string(), priority: z.string() })])),
  lines: z.array(lineSchema),
  initial: answerSchema,
  steps: z.array(stepSchema),
});

const TYPES: Readonly<Record<string, DependencyType>> = {
  u: 'unconditional',
  s: 'success_only',
  c: 'completion_only',
  if: 'conditional',
};
const PRIORITIES: Readonly<Record<string, Priority>> = { LOW: 1, MEDIUM: 2, HIGH: 3, CRITICAL: 4 };

/** The vectors' own small language; it stands where a real one will. */
const evaluate: ConditionEvaluator = ({ expression }, { result }) => {
  const rule = z
    .object({ op: z.string(), path: z.array(z.string()).default([]), value: z.number().optional() })
    .parse(JSON.parse(expression));
  let found: JsonValue | undefined = result;
  for (const key of rule.path) found = found !== undefined && isJsonObject(found) ? found[key] : undefined;
  if (rule.op === 'is_null') return found === null;
  return rule.op === 'gt' && typeof found === 'number' && found > (rule.value ?? 0);
};

function lineFrom([from, to, type = 'u', evaluator, id]: z.infer<typeof lineSchema>): TaskStarLine {
  const condition = evaluator === undefined || evaluator === null ? undefined : evaluator;
  const metadata =
    condition === undefined ? {} : { condition: { language: 'vector', expression: JSON.stringify(condition) } };
  const line = aLine([from, to, TYPES[String(type)] ?? 'unconditional', metadata]);
  return typeof id === 'string' ? { ...line, lineId: lineIdSchema.parse(id) } : line;
}

test.each(vectors.cases.map((one) => caseSchema.parse(one)))('$id: $note', ({ tasks, lines, initial, steps }) => {
  const stars = new Map<TaskId, TaskStar>();
  const facts = new Map<TaskId, TaskFacts>();
  const allLines = new Map<string, TaskStarLine>();
  const add = (id: string, priority = 'MEDIUM') => {
    const star = aStar(id, { priority: PRIORITIES[priority] ?? 2 });
    stars.set(star.taskId, star);
    facts.set(star.taskId, { status: 'pending', result: null, error: null });
  };
  const progress = () => ({
    constellation: { tasks: stars, lines: new Map([...allLines.values()].map((line) => [line.lineId, line])) },
    factsOf: (taskId: TaskId) => facts.get(taskId),
    evaluate,
  });
  const check = (expected: { ready: string[]; blocked?: string[] | undefined }) => {
    expect(readyTasks(progress())).toEqual(expected.ready);
    if (expected.blocked !== undefined) {
      expect(blockedTasks(progress())).toEqual(expected.blocked);
    }
  };
  for (const task of tasks) typeof task === 'string' ? add(task) : add(task.id, task.priority);
  for (const line of lines.map(lineFrom)) allLines.set(line.lineId, line);
  check(initial);

  for (const step of steps) {
    const { op, task = '', line, line_id: lineId = '', priority, result = null } = step.do;
    const id = taskIdSchema.safeParse(task).data;
    const set = (status: TaskFacts['status'], more: Partial<TaskFacts> = {}) => {
      if (id !== undefined) facts.set(id, { status, result: null, error: null, ...more });
    };
    if (step.expect.error === undefined) {
      if (op === 'start') set('running');
      if (op === 'succeed') set('completed', { result });
      if (op === 'fail_error' || op === 'fail_silent') set('failed', { error: 'boom' });
      if (op === 'cancel') set('cancelled');
      if (op === 'retry') set('pending');
      if (op === 'add_task') add(task, priority);
      if (op === 'remove_task' && id !== undefined) {
        stars.delete(id);
        facts.delete(id);
        for (const [key, one] of allLines) if (one.fromTaskId === id || one.toTaskId === id) allLines.delete(key);
      }
      const fresh = line === undefined ? undefined : lineFrom(line);
      if (fresh !== undefined && !allLines.has(fresh.lineId)) allLines.set(fresh.lineId, fresh);
      if (op === 'remove_line') allLines.delete(lineId);
    }
    const { ready = step.expect.ready, blocked } = step.expect.recommended ?? {};
    check({ ready, blocked });
  }
});
