import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type DeviceTool, defineTool, type ToolSurroundings } from './device-tool';
import { ToolError } from './tool-error';

const ENTRIES_MAX = 1_000;

const input = z.strictObject({
  path: z.string().default('.').describe('Folder, relative to the root folder; the root folder itself by default'),
});

export function createListDirectory({ root }: ToolSurroundings): DeviceTool {
  return defineTool({
    name: 'list_directory',
    title: 'List a folder',
    description: 'Lists a folder inside the root folder: name, type, size and time of change of each entry.',
    input,
    isReadOnly: true,
    async run({ path: name }) {
      const handle = await root.openForReading(name);
      try {
        if (!(await handle.stat()).isDirectory()) throw new ToolError(`${JSON.stringify(name)} is no folder`);
        // The open handle cannot be exchanged for another folder; where the system does not offer it as a path, the
        // checked path stands for it.
        const folder =
          process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path.join(root.realPath, path.normalize(name));
        const names = (await readdir(folder)).sort();
        const entries = await Promise.all(names.slice(0, ENTRIES_MAX).map((each) => entryOf(folder, each)));
        const left = names.length - entries.length;
        return { structured: { path: name, entries, ...(left > 0 && { entries_left_out: left }) } };
      } finally {
        await handle.close();
      }
    },
  });
}

async function entryOf(folder: string, name: string) {
  try {
    const found = await lstat(path.join(folder, name));
    const type = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : found.isSymbolicLink() ? 'link' : 'other';
    return { name, type, size_bytes: found.size, modified_at: found.mtime.toISOString() };
  } catch {
    // It was removed since the folder was read, or its name is not UTF-8: that it was there is all there is to say.
    return { name, type: 'unknown' };
  }
}
