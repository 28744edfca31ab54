import { z } from 'zod';
import { integer, optionalText } from './fields';
import { withoutNulls } from './without-nulls';

/** The four models of binary transfer keep members that they do not know. */
export const binaryMetadataSchema = z
  .looseObject({
    type: z.literal('binary_data').default('binary_data'),
    filename: optionalText,
    mime_type: optionalText,
    size: integer,
    checksum: optionalText,
    session_id: optionalText,
    description: optionalText,
    timestamp: optionalText,
  })
  .transform(withoutNulls);
export type BinaryMetadata = z.output<typeof binaryMetadataSchema>;

export const fileTransferStartSchema = z
  .looseObject({
    type: z.literal('file_transfer_start').default('file_transfer_start'),
    filename: z.string(),
    size: integer,
    chunk_size: integer,
    total_chunks: integer,
    mime_type: optionalText,
    session_id: optionalText,
    description: optionalText,
  })
  .transform(withoutNulls);
export type FileTransferStart = z.output<typeof fileTransferStartSchema>;

export const fileTransferCompleteSchema = z
  .looseObject({
    type: z.literal('file_transfer_complete').default('file_transfer_complete'),
    filename: z.string(),
    total_chunks: integer,
    checksum: optionalText,
    session_id: optionalText,
  })
  .transform(withoutNulls);
export type FileTransferComplete = z.output<typeof fileTransferCompleteSchema>;

/** Chunks are numbered from 0. */
export const chunkMetadataSchema = z
  .looseObject({ chunk_num: integer, chunk_size: integer, checksum: optionalText })
  .transform(withoutNulls);
export type ChunkMetadata = z.output<typeof chunkMetadataSchema>;

/** The receiver's answer to the start of a transfer (extension `file`): the first chunk that it needs. */
export const fileTransferNextSchema = z
  .looseObject({
    type: z.literal('file_transfer_next'),
    chunk_num: integer,
    chunk_size: integer,
    transfer_id: z.string(),
  })
  .transform(withoutNulls);
export type FileTransferNext = z.output<typeof fileTransferNextSchema>;
