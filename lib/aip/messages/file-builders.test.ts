import { expect, test } from 'vitest';
import {
  binaryMetadataSchema,
  buildBinaryDescription,
  buildChunkDescription,
  buildFileTransferComplete,
  buildFileTransferNext,
  buildFileTransferStart,
  chunkMetadataSchema,
  fileTransferCompleteSchema,
  fileTransferNextSchema,
  fileTransferStartSchema,
} from './index';

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const TIMESTAMP = '2026-01-02T03:04:05.000000+00:00';
const MD5 = '900150983cd24fb0d6963f7d28e17f72';

test('bytes are described by their size and time, whatever the caller says of both', () => {
  const metadata = { filename: 'a.png', size: 99, type: 'x', timestamp: 'never', note: [1] };
  const description = buildBinaryDescription({ sizeBytes: 4, metadata }, AT_MS);

  expect(description).toEqual({ filename: 'a.png', size: 4, type: 'binary_data', timestamp: TIMESTAMP, note: [1] });
  expect(binaryMetadataSchema.parse(description)).toEqual(description);
});

test('a file of a stock transfer is announced with the members of a stock sender', () => {
  const start = buildFileTransferStart({ filename: 'README', sizeBytes: 10, chunkBytes: 4 });

  expect(JSON.stringify(start)).toBe(
    '{"type":"file_transfer_start","filename":"README","size":10,"chunk_size":4,"total_chunks":3,"mime_type":null}',
  );
  expect(fileTransferStartSchema.safeParse(start).success).toBe(true);
});

test.each([
  [0, 4, 0],
  [1, 4, 1],
  [8, 4, 2],
  [9, 4, 3],
])('a file of %i bytes in chunks of %i has %i chunks', (sizeBytes, chunkBytes, chunks) => {
  expect(buildFileTransferStart({ filename: 'f', sizeBytes, chunkBytes }).total_chunks).toBe(chunks);
});

test('every frame of a resumable transfer names its transfer, and reads as its model', () => {
  const transferId = 't-1';
  const file = { filename: 'f.bin', sizeBytes: 5, chunkBytes: 4, mimeType: 'text/plain', sessionId: 's', transferId };
  const start = buildFileTransferStart(file);
  const next = buildFileTransferNext({ transferId, chunkNumber: 1, chunkBytes: 4 });
  const chunk = buildChunkDescription({ transferId, chunkNumber: 1, sizeBytes: 1, checksum: MD5 }, AT_MS);
  const totals = { filename: 'f.bin', totalChunks: 2, transferId };
  const complete = buildFileTransferComplete({ ...totals, checksum: MD5, sha256: 'ab' });
  const receipt = buildFileTransferComplete({ ...totals, status: 'failed', error: 'no room' });

  const own = { extension: 'file', transfer_id: 't-1' };
  expect(fileTransferStartSchema.parse(start)).toMatchObject({ ...own, session_id: 's', mime_type: 'text/plain' });
  expect(fileTransferNextSchema.parse(next)).toEqual({
    type: 'file_transfer_next',
    chunk_num: 1,
    chunk_size: 4,
    ...own,
  });
  expect(binaryMetadataSchema.parse(chunk)).toMatchObject({ ...own, size: 1, timestamp: TIMESTAMP });
  expect(chunkMetadataSchema.parse(chunk)).toMatchObject({ chunk_num: 1, chunk_size: 1, checksum: MD5 });
  expect(fileTransferCompleteSchema.parse(complete)).toMatchObject({ ...own, checksum: MD5, sha256: 'ab' });
  expect(fileTransferCompleteSchema.parse(receipt)).toMatchObject({ ...own, status: 'failed', error: 'no room' });
});

test('[AIP-116] a checksum that nobody has computed is left out', () => {
  expect(buildChunkDescription({ chunkNumber: 0, sizeBytes: 1 }, AT_MS)).not.toHaveProperty('checksum');
  expect(buildFileTransferComplete({ filename: 'f', totalChunks: 1 })).toEqual({
    type: 'file_transfer_complete',
    filename: 'f',
    total_chunks: 1,
  });
});
