import { z } from 'zod';
import { type DeviceTool, defineTool, type ToolSurroundings } from './device-tool';
import { ToolError } from './tool-error';

/** A result travels through a journal and a browser; whoever wants more reads on from `next_offset`. */
const READ_BYTES_MAX = 1024 * 1024;

const input = z.strictObject({
  path: z.string().min(1).describe('File, relative to the root folder'),
  offset: z.int().min(0).default(0).describe('First byte to read'),
  limit: z.int().min(1).max(READ_BYTES_MAX).default(READ_BYTES_MAX).describe('Most bytes to read'),
  encoding: z.enum(['text', 'base64']).default('text').describe('text for UTF-8, base64 for anything else'),
});

export function createReadFile({ root }: ToolSurroundings): DeviceTool {
  return defineTool({
    name: 'read_file',
    title: 'Read a file',
    description:
      'Reads a file inside the root folder. A whole file comes as its text; a part comes with its offset, the size of the file and the offset to read on from.',
    input,
    isReadOnly: true,
    async run({ path: name, offset, limit, encoding }) {
      const handle = await root.openForReading(name);
      try {
        const found = await handle.stat();
        if (!found.isFile()) throw new ToolError(`${JSON.stringify(name)} is no file`);
        const { buffer, bytesRead } = await handle.read(
          Buffer.alloc(Math.min(limit, READ_BYTES_MAX)),
          0,
          limit,
          offset,
        );
        const bytes = buffer.subarray(0, bytesRead);
        const isCut = offset + bytesRead < found.size;
        const whole = encoding === 'text' && isCut ? withoutSplitCharacter(bytes) : bytes;
        const content = encoding === 'base64' ? whole.toString('base64') : toText(name, whole);
        if (offset === 0 && !isCut) return { text: content };
        const next = offset + whole.byteLength;
        return {
          structured: {
            path: name,
            content,
            encoding,
            offset,
            size_bytes: found.size,
            ...(isCut && { next_offset: next }),
          },
        };
      } finally {
        await handle.close();
      }
    },
  });
}

function toText(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ToolError(`${JSON.stringify(name)} is no UTF-8 text; read it with encoding=base64`, { cause });
  }
}

/** Bytes without a character at the end that goes on behind them (at most three bytes of it can be there). */
function withoutSplitCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.byteLength); back += 1) {
    const byte = bytes[bytes.byteLength - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    // A limit smaller than the first character must not read nothing for ever; then the text check speaks.
    return length > back && back < bytes.byteLength ? bytes.subarray(0, bytes.byteLength - back) : bytes;
  }
  return bytes;
}
