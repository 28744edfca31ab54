/** What a receiver takes; all of it is checked before anything is stored or set aside. */
export type FileLimits = {
  readonly fileBytesMax: number;
  readonly chunkBytesMax: number;
  readonly chunksMax: number;
  /** Transfers that one peer may have under way towards us. */
  readonly openTransfersMax: number;
};

export const FILE_LIMITS: FileLimits = {
  fileBytesMax: 4 * 1_024 ** 3,
  chunkBytesMax: 16 * 1_024 ** 2,
  chunksMax: 1_000_000,
  openTransfersMax: 8,
};

/** What is announced of a file; numbers as they came, of any kind. */
export type AnnouncedSizes = { readonly size: number; readonly chunkSize: number; readonly totalChunks: number };

/** @returns why the file is not taken, or undefined when it is */
export function sizeRefusal({ size, chunkSize, totalChunks }: AnnouncedSizes, limits: FileLimits): string | undefined {
  if (!isCount(size)) return `Expected size to be a whole number of bytes from 0 on, got ${size}`;
  if (size > limits.fileBytesMax) return `Expected a file of at most ${limits.fileBytesMax} bytes, got ${size}`;
  if (!isCount(chunkSize) || chunkSize === 0 || chunkSize > limits.chunkBytesMax) {
    return `Expected chunk_size to be from 1 to ${limits.chunkBytesMax} bytes, got ${chunkSize}`;
  }
  if (totalChunks !== Math.ceil(size / chunkSize)) {
    const expected = Math.ceil(size / chunkSize);
    return `Expected total_chunks to be ${expected} for ${size} bytes in chunks of ${chunkSize}, got ${totalChunks}`;
  }
  if (totalChunks > limits.chunksMax) {
    return `Expected at most ${limits.chunksMax} chunks, got ${totalChunks}; send larger ones`;
  }
  return undefined;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
