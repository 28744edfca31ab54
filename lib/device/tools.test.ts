import { expect, test } from 'vitest';
import { createToolCatalogue, describeTools, unknownTool } from './tool-catalogue';
import { toCommandResult, toPayload } from './tool-result';

const tool = (name: string, readOnlyHint?: boolean) => ({
  name,
  inputSchema: { type: 'object' },
  ...(readOnlyHint !== undefined && { annotations: { readOnlyHint } }),
});

test('a tool keeps its own name when no other server has it, else its server stands before it', () => {
  const catalogue = createToolCatalogue([
    { name: 'device', tools: [tool('read_file')] },
    { name: 'notes', tools: [tool('search'), tool('add')] },
    { name: 'mail', tools: [tool('search'), tool('read_file')] },
  ]);
  expect(catalogue.entries.map((entry) => entry.exposedName)).toEqual([
    'read_file',
    'notes.search',
    'add',
    'mail.search',
    'mail.read_file',
  ]);
});

test('every tool is found by its exposed name and by its full name', () => {
  const catalogue = createToolCatalogue([
    { name: 'device', tools: [tool('read_file')] },
    { name: 'mail', tools: [tool('read_file'), tool('send')] },
  ]);
  expect(catalogue.find('read_file')?.server).toBe('device');
  expect(catalogue.find('mail.read_file')?.server).toBe('mail');
  expect(catalogue.find('send')?.server).toBe('mail');
  expect(catalogue.find('mail.send')?.server).toBe('mail');
  expect(catalogue.find('toString')).toBeUndefined();
  expect(unknownTool('rm', catalogue)).toBe('Unknown tool "rm"; this device has read_file, mail.read_file, send');
});

test('a tool that only reads is described as such on the wire', () => {
  const catalogue = createToolCatalogue([{ name: 'device', tools: [tool('look', true), tool('act', false)] }]);
  expect(describeTools(catalogue)).toMatchObject([
    { tool_key: 'data_collection::look', tool_type: 'data_collection', namespace: 'device' },
    { tool_key: 'action::act', tool_type: 'action' },
  ]);
});

const text = (value: string) => ({ type: 'text', text: value });

test('text comes as text, several parts as a list, structure as it is', () => {
  expect(toPayload({ content: [text('one')] })).toBe('one');
  expect(toPayload({ content: [text('one'), { type: 'image', data: 'AA==', mimeType: 'image/png' }] })).toEqual([
    'one',
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
  ]);
  expect(toPayload({ content: [text('{"a":0}')], structuredContent: { a: 0 } })).toEqual({ a: 0 });
  expect(toPayload({ content: [{ type: 'resource', resource: { uri: 'x:y', text: 'inside' } }] })).toBe('inside');
});

test('[AIP-86] nothing and the empty text stay what they are', () => {
  expect(toPayload({})).toBeNull();
  expect(toPayload({ content: [text('')] })).toBe('');
  expect(toPayload({ structuredContent: {} })).toEqual({});
});

test('an error of a tool is a failure with its first text', () => {
  expect(toCommandResult({ isError: true, content: [text('no such file'), text('more')] }, 'device')).toEqual({
    status: 'failure',
    error: 'no such file',
    namespace: 'device',
  });
  expect(toCommandResult({ isError: true }, 'device').error).toBe('The tool failed without saying why');
});
