import { z } from 'zod';
import { type DeviceTool, defineTool, type ToolSurroundings } from './device-tool';

const input = z.strictObject({});

export function createGetSystemInfo({ systemInfo }: ToolSurroundings): DeviceTool {
  return defineTool({
    name: 'get_system_info',
    title: 'Describe the machine',
    description:
      'Says what the machine is and how it does now: load, memory, disk, GPUs, uptime. Read anew at each call.',
    input,
    isReadOnly: true,
    run: async () => ({ structured: await systemInfo() }),
  });
}
