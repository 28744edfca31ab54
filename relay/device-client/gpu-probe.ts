import os from 'node:os';
import path from 'node:path';
import { withinTime } from '@/lib/aip/resilience/wait';
import { type Gpu, NVIDIA_QUERY, parseNvidiaSmi, parseRocmSmi, ROCM_QUERY } from '@/lib/device/gpu';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import { findProgram } from './tools/find-program';
import type { ProcessGroups } from './tools/run-process';

export type GpuProbeOptions = {
  readonly processes: ProcessGroups;
  /** This program's own: the tools of a graphics driver are found on its PATH. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly logger: Logger;
};

export type GpuProbe = {
  /** The GPUs as their tools report them now; none when there is no such tool, or it fails. */
  read(): Promise<readonly Gpu[]>;
};

type GpuTool = {
  readonly name: string;
  readonly args: readonly string[];
  readonly parse: (output: string) => readonly Gpu[];
};

const TOOLS: readonly GpuTool[] = [
  { name: 'nvidia-smi', args: NVIDIA_QUERY, parse: parseNvidiaSmi },
  { name: 'rocm-smi', args: ROCM_QUERY, parse: parseRocmSmi },
];

/** A driver that hangs must not keep the device from saying what else it knows. */
const TOOL_MS = 2_000;
const OUTPUT_BYTES_MAX = 65_536;

export function createGpuProbe({ processes, environment, clock, logger }: GpuProbeOptions): GpuProbe {
  const folders = (environment.PATH ?? environment.Path ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder));
  let running: Promise<readonly Gpu[]> | undefined;
  const asked = new Map<string, Promise<readonly Gpu[]>>();

  async function ask(tool: GpuTool): Promise<readonly Gpu[]> {
    try {
      const answered = await withinTime(clock, TOOL_MS, runOnce(tool));
      if (answered.inTime) return answered.value;
      logger.debug('gpu-tool-slow', { tool: tool.name, afterMs: TOOL_MS });
    } catch (cause) {
      logger.debug('gpu-tool-failed', { tool: tool.name, error: String(cause) });
    }
    return [];
  }

  function runOnce(tool: GpuTool): Promise<readonly Gpu[]> {
    const outcome = asked.get(tool.name) ?? run(tool).finally(() => asked.delete(tool.name));
    // A driver that hangs keeps its tool from ending, even when it is killed, so there is one of it at a time.
    asked.set(tool.name, outcome);
    return outcome;
  }

  async function run({ name, args, parse }: GpuTool): Promise<readonly Gpu[]> {
    const file = await findProgram(name, folders);
    if (file === undefined) return [];
    const end = await processes.run({
      file,
      name,
      args,
      folder: os.tmpdir(),
      environment,
      timeoutMs: TOOL_MS,
      outputBytesMax: OUTPUT_BYTES_MAX,
      signal: new AbortController().signal,
    });
    return end.exitCode === 0 ? parse(end.stdout.text) : [];
  }

  return {
    read() {
      // Information and manifest are collected at the same time, and a tool may take a second.
      running ??= Promise.all(TOOLS.map(ask))
        .then((found) => found.flat())
        .finally(() => {
          running = undefined;
        });
      return running;
    },
  };
}
