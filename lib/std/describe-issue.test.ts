import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeIssue } from './describe-issue';
import type { JsonValue } from './json';

const schema = z.strictObject({ device_id: z.string(), when: z.enum(['now', 'on-return']), tags: z.array(z.string()) });

function sentences(value: JsonValue): string[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.map((issue) => describeIssue(issue, value));
}

test('a problem says what was expected and what came', () => {
  expect(sentences({ when: 'later', tags: ['a', 5] })).toEqual([
    'expected string, got nothing',
    'expected "now" or "on-return", got "later"',
    'expected string, got 5',
  ]);
});

test('a field that nobody knows is named', () => {
  expect(sentences({ device_id: 'a', when: 'now', tags: [], colour: 1 })).toEqual([
    'unknown field "colour"; leave it out',
  ]);
});
