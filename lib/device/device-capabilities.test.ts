import { expect, test } from 'vitest';
import { capabilitiesOf, type WhatIsThere } from './device-capabilities';

const BARE: WhatIsThere = { builtinTools: [], commandCount: 0, servers: [], hasGpu: false, added: [] };

test('a device can do what is really there', () => {
  expect(capabilitiesOf(BARE)).toEqual([]);
  const all = { builtinTools: ['execute_command', 'read_file'], commandCount: 1, servers: ['notes'], hasGpu: true };
  expect(capabilitiesOf({ ...BARE, ...all })).toEqual(['cli', 'file_system', 'gpu', 'notes']);
});

test('a device that may run no command has no command line', () => {
  expect(capabilitiesOf({ ...BARE, builtinTools: ['execute_command'] })).toEqual([]);
});

test('what the owner adds is there, each word once', () => {
  expect(capabilitiesOf({ ...BARE, hasGpu: true, added: ['camera', 'gpu', 'camera'] })).toEqual(['gpu', 'camera']);
});
