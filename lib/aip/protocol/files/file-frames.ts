import { z } from 'zod';

/** The frames of the extension `file`; what a number may be is judged by whoever knows the transfer. */
const transferId = z.string().min(1).max(128);
const optionalText = z.string().max(4_096).nullish();

export const startFrameSchema = z.looseObject({
  filename: z.string().max(4_096),
  size: z.number(),
  chunk_size: z.number(),
  total_chunks: z.number(),
  mime_type: optionalText,
  session_id: optionalText,
  transfer_id: transferId,
});
export type StartFrame = z.output<typeof startFrameSchema>;

export const nextFrameSchema = z.looseObject({
  chunk_num: z.number(),
  chunk_size: z.number(),
  transfer_id: transferId,
});
export type NextFrame = z.output<typeof nextFrameSchema>;

export const chunkFrameSchema = z.looseObject({
  chunk_num: z.number(),
  chunk_size: z.number(),
  size: z.number(),
  checksum: optionalText,
  transfer_id: transferId,
});
export type ChunkFrame = z.output<typeof chunkFrameSchema>;

export const completeFrameSchema = z.looseObject({
  filename: z.string().max(4_096),
  total_chunks: z.number(),
  checksum: optionalText,
  sha256: optionalText,
  status: z.enum(['completed', 'failed']).nullish(),
  error: optionalText,
  transfer_id: transferId,
});
export type CompleteFrame = z.output<typeof completeFrameSchema>;

export const FILE_FRAME_TYPES = [
  'file_transfer_start',
  'file_transfer_next',
  'binary_data',
  'file_transfer_complete',
] as const;
