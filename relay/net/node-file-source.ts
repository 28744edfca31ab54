import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import type { FileSource } from '@/lib/aip/protocol/files/file-ports';
import { readAt } from './read-at';

/** A pipe without a writer would hold an ordinary open for ever. Absent on Windows. */
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;

export type OpenFile = FileSource & {
  /** Whoever opened it closes it. May be called twice. */
  close(): Promise<void>;
};

/**
 * A file of this machine, to be sent as it is now. Reads fail when it is written to meanwhile, so that no mixture of two
 * contents goes out.
 *
 * @throws when there is no such file, it may not be read, or it is a folder or a device
 */
export async function openNodeFile(path: string, options: { readonly mimeType?: string } = {}): Promise<OpenFile> {
  const filename = basename(path);
  const handle = await open(path, constants.O_RDONLY | O_NONBLOCK);
  try {
    const before = await handle.stat();
    if (!before.isFile()) throw new Error(`Expected a file to send, got something else: ${filename}`);
    return {
      filename,
      sizeBytes: before.size,
      // Without a charset: that of the content is not known.
      mimeType: options.mimeType ?? getMimeType(filename)?.split(';')[0],
      async read(offset, lengthBytes) {
        const bytes = await readAt(handle, offset, lengthBytes);
        const now = await handle.stat();
        if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) {
          throw new Error(`The file ${filename} was changed while it was sent`);
        }
        return bytes;
      },
      close: () => handle.close(),
    };
  } catch (cause) {
    await handle.close();
    throw cause;
  }
}
