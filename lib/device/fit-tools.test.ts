import { expect, test } from 'vitest';
import type { McpToolInfo } from '@/lib/aip/messages';
import { fitTools } from './fit-tools';

const tool = (number: number): McpToolInfo => ({
  tool_key: `action::tool_${number}`,
  tool_name: `tool_${number}`,
  namespace: 'many',
  tool_type: 'action',
  description: 'd'.repeat(200),
  input_schema: { type: 'object', description: 's'.repeat(800) },
  annotations: { readOnlyHint: false },
});
const TOOLS = [tool(1), tool(2), tool(3)];
const bytes = (value: unknown) => JSON.stringify(value).length;

test('a list that fits stays as it is', () => {
  expect(fitTools(TOOLS, bytes(TOOLS))).toEqual({ tools: TOOLS, leftOut: 'nothing' });
  expect(fitTools([], 2)).toEqual({ tools: [], leftOut: 'nothing' });
});

test('schemas go first, then descriptions, then tools from the end', () => {
  const first = fitTools(TOOLS, 2_000);
  expect(first.leftOut).toBe('schemas');
  expect(first.tools[2]).not.toHaveProperty('input_schema');
  expect(first.tools[2]).toHaveProperty('description');

  const second = fitTools(TOOLS, 500);
  expect(second.leftOut).toBe('schemas and descriptions');
  expect(second.tools).toHaveLength(3);

  const third = fitTools(TOOLS, 200);
  expect(third.leftOut).toContain('some of the tools');
  expect(third.tools.map(({ tool_name }) => tool_name)).toEqual(['tool_1', 'tool_2']);
  for (const { tools } of [first, second, third]) expect(bytes(tools)).toBeLessThanOrEqual(2_000);
  expect(bytes(third.tools)).toBeLessThanOrEqual(200);
});

test('length is counted in bytes', () => {
  const wide = [{ ...tool(1), description: '€'.repeat(200) }];
  expect(fitTools(wide, bytes(wide)).leftOut).toBe('schemas');
});
