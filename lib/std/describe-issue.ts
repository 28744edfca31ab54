import type { z } from 'zod';
import { describeJson } from './describe-json';
import { isJsonObject, type JsonValue } from './json';

/**
 * One problem that zod found, as "expected …, got …".
 *
 * @param value - what was parsed, so that the sentence can say what stood there
 */
export function describeIssue(issue: z.core.$ZodIssue, value: JsonValue): string {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_value':
      return `expected ${expectedBy(issue)}, got ${describeJson(memberAt(value, issue.path))}`;
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}; leave it out`;
    default:
      return issue.message;
  }
}

/** What would have been right, for the first half of "expected …, got …". */
export function expectedBy(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.expected === 'record' ? 'object' : issue.expected;
  if (issue.code === 'invalid_value') return issue.values.map((word) => JSON.stringify(word)).join(' or ');
  return issue.message.replace(/^expected an? /, '');
}

/** What stands at a path; undefined where the path leads nowhere. */
export function memberAt(value: JsonValue, path: readonly PropertyKey[]): JsonValue | undefined {
  let member: JsonValue | undefined = value;
  for (const part of path) {
    if (Array.isArray(member)) member = member[Number(part)];
    else member = member !== undefined && isJsonObject(member) ? member[String(part)] : undefined;
  }
  return member;
}
