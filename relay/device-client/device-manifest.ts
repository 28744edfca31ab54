import type { DeviceManifest } from '@/lib/aip/messages';
import { withinTime } from '@/lib/aip/resilience/wait';
import { capabilitiesOf } from '@/lib/device/device-capabilities';
import { type FittedTools, fitTools } from '@/lib/device/fit-tools';
import type { Clock } from '@/lib/std/clock';
import type { Logger } from '@/lib/std/logger';
import type { GpuProbe } from './gpu-probe';
import { BUILTIN_SERVER } from './mcp/mcp-config';
import type { ToolBox } from './mcp/tool-box';
import { readOsVersion } from './system-info';

export type DeviceManifestOptions = {
  readonly box: ToolBox;
  readonly gpus: GpuProbe;
  /** How many commands the device's list has. */
  readonly commandCount: number;
  /** What the device's owner says that it can do besides. */
  readonly addedCapabilities: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
};

export type DeviceManifestSource = {
  /** What the device can do now. Waits a little for servers of tools that are just starting. */
  read(): Promise<DeviceManifest>;
  /** Told when servers of tools come, go or have other tools. Returns an undo. */
  onChanged(listener: () => void): () => void;
};

/** A slow server of tools must not keep the device offline; what it brings is told when it is there. */
const STARTING_MS = 2_000;
/** As JSON: it stands in the first message of every connection. */
const TOOLS_BYTES_MAX = 262_144;

export function createDeviceManifest(options: DeviceManifestOptions): DeviceManifestSource {
  const { box, gpus, commandCount, addedCapabilities, clock, logger } = options;
  let settled: Promise<unknown> | undefined;
  let lastLeftOut: FittedTools['leftOut'] = 'nothing';

  function fitted(): DeviceManifest['tools'] {
    const all = box.tools();
    const { tools, leftOut } = fitTools(all, TOOLS_BYTES_MAX);
    if (leftOut !== lastLeftOut && leftOut !== 'nothing') {
      logger.warn('tools-too-long', { tools: all.length, told: tools.length, leftOut, bytesMax: TOOLS_BYTES_MAX });
    }
    lastLeftOut = leftOut;
    return tools;
  }

  return {
    async read() {
      settled ??= withinTime(clock, STARTING_MS, box.start());
      const [found] = await Promise.all([gpus.read(), settled]);
      const tools = fitted();
      return {
        capabilities: capabilitiesOf({
          builtinTools: box
            .tools()
            .filter(({ namespace }) => namespace === BUILTIN_SERVER)
            .map(({ tool_name }) => tool_name),
          commandCount,
          servers: box.serversUp().filter((name) => name !== BUILTIN_SERVER),
          hasGpu: found.length > 0,
          added: addedCapabilities,
        }),
        osVersion: readOsVersion(),
        tools,
      };
    },
    onChanged: (listener) => box.onToolsChanged(listener),
  };
}
