import { expect, test } from 'vitest';
import { parseNvidiaSmi, parseRocmSmi } from './gpu';

test('each GPU has its name, memory and use', () => {
  const output = '81559, 1024, 37, NVIDIA H100 80GB HBM3\n24564, 0, 0, NVIDIA GeForce RTX 4090\n';
  expect(parseNvidiaSmi(output)).toEqual([
    { name: 'NVIDIA H100 80GB HBM3', memory_total_mb: 81559, memory_used_mb: 1024, utilisation_percent: 37 },
    { name: 'NVIDIA GeForce RTX 4090', memory_total_mb: 24564, memory_used_mb: 0, utilisation_percent: 0 },
  ]);
});

test('what a GPU does not tell is absent, never invented', () => {
  expect(parseNvidiaSmi('[N/A], [N/A], 5, NVIDIA GB10\r\n')).toEqual([{ name: 'NVIDIA GB10', utilisation_percent: 5 }]);
  expect(parseNvidiaSmi('2002, 12, [Not Supported], GeForce GT 710')).toEqual([
    { name: 'GeForce GT 710', memory_total_mb: 2002, memory_used_mb: 12 },
  ]);
  expect(parseNvidiaSmi('16384, ERR!, [Unknown Error], Tesla T4')).toEqual([
    { name: 'Tesla T4', memory_total_mb: 16384 },
  ]);
});

test.each([
  '',
  '\n',
  'No devices were found\n',
  'NVIDIA-SMI has failed because it couldn’t communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.',
  'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.54',
  'Field "utilization.gpu" is not a valid field to query, sorry, try, again',
  '81559, 1024, 37',
  '81559, 1024, 37, ',
])('words are no GPU: %j', (output) => {
  expect(parseNvidiaSmi(output)).toEqual([]);
});

test('a GPU of AMD is read from JSON, whatever stands before it', () => {
  const card = {
    'GPU use (%)': '12',
    'VRAM Total Memory (B)': '17163091968',
    'VRAM Total Used Memory (B)': '1048576',
    'Card Series': 'Radeon RX 6800 XT',
  };
  const output = `WARNING: AMD GPU device(s) is/are in a low-power state\n\n${JSON.stringify({ card0: card, card1: {}, system: { x: '1' } })}`;
  expect(parseRocmSmi(output)).toEqual([
    { name: 'Radeon RX 6800 XT', memory_total_mb: 16368, memory_used_mb: 1, utilisation_percent: 12 },
    { name: 'AMD GPU' },
  ]);
});

test.each(['', 'ERROR: no AMD GPUs', '{', '[]', 'null', '{"card0": 5}'])('%j tells of no GPU of AMD', (output) => {
  expect(parseRocmSmi(output)).toEqual([]);
});
