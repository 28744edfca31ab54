import { expect, test } from 'vitest';
import { createMcpToolCall, mcpToolInfoSchema } from './index';

const server = { call: async (tool: string) => `${tool} done` };
const call = createMcpToolCall({
  toolName: 'read_file',
  namespace: 'files',
  toolType: 'data_collection',
  title: 'Read a file',
  description: 'Gives the text of a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  outputSchema: { type: 'object' },
  meta: { version: 2 },
  annotations: { readOnlyHint: true },
  server,
});

test('a tool is described without what calls it, in the order of the wire', () => {
  const info = call.toToolInfo();

  expect(mcpToolInfoSchema.parse(info)).toEqual(info);
  expect(JSON.stringify(info)).toBe(
    JSON.stringify({
      tool_key: 'data_collection::read_file',
      tool_name: 'read_file',
      title: 'Read a file',
      namespace: 'files',
      tool_type: 'data_collection',
      description: 'Gives the text of a file',
      input_schema: { type: 'object', properties: { path: { type: 'string' } } },
      output_schema: { type: 'object' },
      meta: { version: 2 },
      annotations: { readOnlyHint: true },
    }),
  );
});

test('a tool of which little is known says no more than that', () => {
  const bare = createMcpToolCall({ toolName: 'run', namespace: 'shell', toolType: 'action', server });

  expect(bare.toToolInfo()).toStrictEqual({
    tool_key: 'action::run',
    tool_name: 'run',
    namespace: 'shell',
    tool_type: 'action',
  });
});

test('a tool is called through the server that it holds', async () => {
  await expect(call.server.call(call.toolName)).resolves.toBe('read_file done');
});

test('a call cannot be written into a message by mistake', () => {
  expect(() => JSON.stringify({ result: [call] })).toThrow('toToolInfo()');
});
