import { expect, test } from 'vitest';
import { parseMcpConfig } from './mcp-config';

const read = (servers: unknown) => parseMcpConfig(JSON.stringify({ mcpServers: servers }));

test('the file of other clients is read, members that only they know are ignored', () => {
  expect(
    read({
      notes: { command: 'npx', args: ['-y', 'notes'], env: { A: '1' }, cwd: '/srv', type: 'stdio', autoApprove: ['x'] },
      web: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer x' }, type: 'http' },
      off: { command: 'x', disabled: true },
    }),
  ).toEqual({
    ok: true,
    value: [
      { name: 'notes', kind: 'stdio', command: 'npx', args: ['-y', 'notes'], env: { A: '1' }, folder: '/srv' },
      { name: 'web', kind: 'http', url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer x' } },
    ],
  });
});

test('names become such as can stand before a dot, and none passes for the built-in server', () => {
  const servers = read({ 'my.notes': { command: 'a' }, 'my notes': { command: 'b' }, device: { command: 'c' } });
  expect(servers.ok && servers.value.map((server) => server.name)).toEqual(['my_notes', 'my_notes_2', 'device_2']);
});

test('all problems are told with their places', () => {
  const servers = read({
    a: {},
    b: { url: 'ftp://x' },
    c: { command: 'x', args: [5] },
    d: { url: 'http://x', type: 'sse' },
  });
  expect(servers.ok ? [] : servers.error).toEqual([
    expect.stringContaining('mcpServers.a: command'),
    expect.stringContaining('mcpServers.b: url'),
    expect.stringContaining('mcpServers.c: args.0'),
    expect.stringContaining('mcpServers.d: the transport "sse"'),
  ]);
});

test.each(['', '{', '[]', '{}', '{"mcpServers": []}', '{"mcpServers": {"a": 5}}'])('%j is no such file', (text) => {
  expect(parseMcpConfig(text).ok).toBe(false);
});
