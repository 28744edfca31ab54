import os from 'node:os';
import type { Clock } from '@/lib/std/clock';
import type { JsonObject } from '@/lib/std/json';
import type { Logger } from '@/lib/std/logger';
import { connectInProcess, connectToolServer } from './mcp/connect-tool-server';
import { BUILTIN_SERVER, type ToolServerConfig } from './mcp/mcp-config';
import { createToolBox, type ToolBox } from './mcp/tool-box';
import { createToolServerLink } from './mcp/tool-server';
import { createBuiltinServer } from './tools/builtin-server';
import type { CommandPolicy } from './tools/command-policy';
import type { ToolSurroundings } from './tools/device-tool';
import type { RootFolder } from './tools/root-folder';
import type { ProcessGroups } from './tools/run-process';
import { createDeviceTools } from './tools/tool-table';

export type DeviceToolBoxOptions = {
  readonly root: RootFolder;
  readonly processes: ProcessGroups;
  readonly toolServers: readonly ToolServerConfig[];
  /** This program's environment; commands see only a few harmless members of it. */
  readonly environment: NodeJS.ProcessEnv;
  readonly systemInfo: () => Promise<JsonObject>;
  readonly policy: CommandPolicy;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** The built-in tools and those of the configured servers, behind one catalogue. */
export function createDeviceToolBox(options: DeviceToolBoxOptions): ToolBox {
  const { clock, logger } = options;
  const tools = createDeviceTools(surroundingsOf(options));
  const builtin = createToolServerLink({
    name: BUILTIN_SERVER,
    connect: () => connectInProcess(createBuiltinServer(tools, logger)),
    clock,
    logger,
  });
  const others = options.toolServers.map((config) =>
    createToolServerLink({ name: config.name, connect: () => connectToolServer(config, logger), clock, logger }),
  );
  return createToolBox([builtin, ...others]);
}

function surroundingsOf(options: DeviceToolBoxOptions): ToolSurroundings {
  const { root, processes, policy, environment, systemInfo } = options;
  const searchPath = searchPathOf(process.platform, environment);
  return {
    root,
    processes,
    systemInfo,
    searchPath,
    policy,
    environment: environmentOf(environment, { searchPath, home: root.realPath }),
  };
}

/** Folders of the system first: a program in a folder that users may write never stands in for one of them. */
function searchPathOf(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): readonly string[] {
  if (platform === 'win32') return [`${environment.SystemRoot ?? 'C:\\Windows'}\\System32`];
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/opt/homebrew/bin'];
}

type Places = { readonly searchPath: readonly string[]; readonly home: string };

/** Secrets travel in environments, so a command gets what programs cannot do without and nothing else. */
function environmentOf(own: NodeJS.ProcessEnv, { searchPath, home }: Places): NodeJS.ProcessEnv {
  const kept = ['TZ', 'SystemRoot', 'windir'].flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]));
  return {
    ...Object.fromEntries(kept),
    PATH: searchPath.join(process.platform === 'win32' ? ';' : ':'),
    HOME: home,
    TMPDIR: os.tmpdir(),
    LANG: 'C.UTF-8',
    // Else what a Python program prints comes at its end, since it writes into a pipe.
    PYTHONUNBUFFERED: '1',
  };
}
