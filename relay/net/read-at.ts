import type { FileHandle } from 'node:fs/promises';

/** Bytes of a file; fewer than asked for only where it ends. */
export async function readAt(handle: FileHandle, offset: number, lengthBytes: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(lengthBytes);
  let readBytes = 0;
  while (readBytes < lengthBytes) {
    const { bytesRead } = await handle.read(bytes, readBytes, lengthBytes - readBytes, offset + readBytes);
    if (bytesRead === 0) break;
    readBytes += bytesRead;
  }
  return bytes.subarray(0, readBytes);
}
