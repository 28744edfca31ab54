import type { FileSource } from './file-ports';
import { FileTransferError } from './file-transfer-error';

/** Chunks are numbered from 0. @throws FileTransferError when the file is shorter than it was */
export async function readChunk(source: FileSource, chunkNumber: number, chunkBytes: number): Promise<Uint8Array> {
  const offset = chunkNumber * chunkBytes;
  const lengthBytes = Math.min(chunkBytes, source.sizeBytes - offset);
  const bytes = await source.read(offset, lengthBytes);
  if (bytes.length === lengthBytes) return bytes;
  const message = `Expected ${lengthBytes} bytes at ${offset}, got ${bytes.length}: the file was changed while it was sent`;
  throw new FileTransferError('source-changed', message);
}
