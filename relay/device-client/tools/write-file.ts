import { z } from 'zod';
import { type DeviceTool, defineTool, type ToolSurroundings } from './device-tool';
import { ToolError } from './tool-error';

const WRITE_BYTES_MAX = 16 * 1024 * 1024;

const input = z.strictObject({
  path: z.string().min(1).describe('File, relative to the root folder; missing folders on the way are made'),
  content: z.string().describe('The whole new content'),
  encoding: z.enum(['text', 'base64']).default('text').describe('How content is written: text for UTF-8, or base64'),
});

export function createWriteFile({ root }: ToolSurroundings): DeviceTool {
  return defineTool({
    name: 'write_file',
    title: 'Write a file',
    description: 'Writes a file inside the root folder as a whole: whoever reads it sees the old or the new content.',
    input,
    isReadOnly: false,
    async run({ path: name, content, encoding }) {
      const bytes = toBytes(content, encoding);
      if (bytes.byteLength > WRITE_BYTES_MAX) {
        throw new ToolError(`Expected at most ${WRITE_BYTES_MAX} bytes, got ${bytes.byteLength}; write several files`);
      }
      await root.replaceFile(name, bytes);
      return { text: `Wrote ${bytes.byteLength} bytes to ${name}` };
    },
  });
}

function toBytes(content: string, encoding: 'text' | 'base64'): Buffer {
  if (encoding === 'text') return Buffer.from(content, 'utf8');
  const bytes = Buffer.from(content, 'base64');
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === content.replace(/[\s=]+/g, '');
  if (!isBase64) throw new ToolError('The content is no base64; send text with encoding=text');
  return bytes;
}
