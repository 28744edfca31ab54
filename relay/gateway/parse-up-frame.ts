import { FRAME_DEPTH_MAX } from '@/lib/relay-protocol/timing';
import { type UpFrame, upFrameSchema } from '@/lib/relay-protocol/up';
import { PROTOCOL_VERSION } from '@/lib/relay-protocol/version';
import { isJsonObject, type JsonValue, parseJson } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';

export type FrameProblem = { readonly kind: 'bad-frame' | 'other-version'; readonly message: string };

/** The one place where a browser's text becomes a frame. */
export function parseUpFrame(text: string): Result<UpFrame, FrameProblem> {
  const json = parseJson(text, { depthMax: FRAME_DEPTH_MAX, protoKey: 'refuse' });
  if (!json.ok) return err({ kind: 'bad-frame', message: json.error.message });
  const version = otherVersion(json.value);
  if (version !== undefined) {
    const message = `Expected protocol version ${PROTOCOL_VERSION}, got ${version}; reload the page to get the matching one.`;
    return err({ kind: 'other-version', message });
  }
  const frame = upFrameSchema.safeParse(json.value);
  if (frame.success) return ok(frame.data);
  const issue = frame.error.issues[0];
  const message = `Unexpected frame at ${issue?.path.join('.') || '(frame)'}: ${issue?.message ?? 'wrong form'}`;
  return err({ kind: 'bad-frame', message: message.slice(0, 500) });
}

/** Asked before the form of the frame: a hello of another version may have another form. */
function otherVersion(value: JsonValue): number | undefined {
  if (!isJsonObject(value) || value.type !== 'hello') return undefined;
  const version = value.protocolVersion;
  return typeof version === 'number' && Number.isInteger(version) && version !== PROTOCOL_VERSION ? version : undefined;
}
