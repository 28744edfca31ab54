import type { DeviceTool, ToolSurroundings } from './device-tool';
import { createExecuteCommand } from './execute-command';
import { createGetSystemInfo } from './get-system-info';
import { createListDirectory } from './list-directory';
import { createReadFile } from './read-file';
import { createWriteFile } from './write-file';

/** Every built-in tool; a new one is a file and a row here. */
export function createDeviceTools(surroundings: ToolSurroundings): readonly DeviceTool[] {
  return [
    createExecuteCommand(surroundings),
    createGetSystemInfo(surroundings),
    createListDirectory(surroundings),
    createReadFile(surroundings),
    createWriteFile(surroundings),
  ];
}
