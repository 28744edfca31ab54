import { buildBinaryDescription, serialiseFrame } from '@/lib/aip/messages';
import type { Transport } from '@/lib/aip/transport/transport';
import type { Clock } from '@/lib/std/clock';
import { isJsonObject, type JsonObject, parseJson } from '@/lib/std/json';
import { FileTransferError } from './file-transfer-error';

export type BinaryMessage = { readonly bytes: Uint8Array; readonly metadata: JsonObject };

/** `strict` refuses what is wrong; `stock` only what the reference refuses, for peers that are known to be careless. */
export type ReceiverChecks = 'strict' | 'stock';

export type ReceiveBinaryOptions = {
  /** `strict` by default. */
  readonly checks?: ReceiverChecks;
  /** Whether the announced size must be that of the bytes; true by default. */
  readonly isSizeChecked?: boolean;
  /** A larger announcement is refused before its bytes are read. */
  readonly bytesMax?: number;
};

const DESCRIPTION_DEPTH_MAX = 64;

/**
 * Sends bytes with a description, as two frames. For a connection whose reader expects them: the endpoints of stock peers
 * do not.
 *
 * @throws ConnectionError
 * @throws FileTransferError when the description can be no frame
 * @see microsoft/UFO, aip/protocol/base.py
 */
export async function sendBinaryMessage(
  transport: Transport,
  { bytes, metadata }: BinaryMessage,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const text = frameText(buildBinaryDescription({ sizeBytes: bytes.length, metadata }, clock.now()));
  await Promise.all([transport.send(text), transport.send(bytes)]);
}

/** @throws FileTransferError when it can be no frame */
export function frameText(description: JsonObject): string {
  const text = serialiseFrame(description);
  if (text.ok) return text.value;
  throw new FileTransferError('refused', text.error.message);
}

/**
 * Reads bytes and their description.
 *
 * @throws FileTransferError
 * @throws FrameError when text comes where bytes are due
 * @throws ConnectionError
 */
export async function receiveBinaryMessage(
  transport: Transport,
  options: ReceiveBinaryOptions = {},
): Promise<BinaryMessage> {
  const { checks = 'strict', isSizeChecked = true, bytesMax = Number.POSITIVE_INFINITY } = options;
  const metadata = await receiveDescription(transport);
  const { type, size } = metadata;
  if (checks === 'strict' && type !== undefined && type !== 'binary_data') {
    throw new FileTransferError('unexpected-frame', `Expected the type binary_data, got ${shown(type)}`);
  }
  if (typeof size === 'number' && size > bytesMax) {
    throw new FileTransferError('refused', `Expected at most ${bytesMax} bytes, ${size} are announced`);
  }
  const bytes = await transport.receiveBinary();
  if (isSizeChecked && size !== undefined && size !== null && size !== bytes.length) {
    throw new FileTransferError('size-mismatch', `Expected ${shown(size)} bytes, got ${bytes.length}`);
  }
  return { bytes, metadata };
}

/** @throws FileTransferError, ConnectionError, FrameError */
export async function receiveDescription(transport: Transport): Promise<JsonObject> {
  const read = parseJson(await transport.receive(), { depthMax: DESCRIPTION_DEPTH_MAX, protoKey: 'refuse' });
  if (!read.ok) throw new FileTransferError('unexpected-frame', `Expected a description: ${read.error.message}`);
  if (isJsonObject(read.value)) return read.value;
  throw new FileTransferError('unexpected-frame', `Expected a description as an object, got ${shown(read.value)}`);
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 64 ? text : `${text.slice(0, 64).toWellFormed()}…`;
}
