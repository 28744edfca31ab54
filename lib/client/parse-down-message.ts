import { type DownFrame, downMessageSchema } from '@/lib/relay-protocol/down';
import { parseJson } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';

/**
 * One socket message to its frames.
 *
 * What a device returned travels inside events and may be nested as deep as its own protocol allows, and may hold any key; so
 * the rules are wider here than for what browsers send.
 */
export function parseDownMessage(text: string): Result<readonly DownFrame[], string> {
  const json = parseJson(text, { depthMax: 256, protoKey: 'keep' });
  if (!json.ok) return err(json.error.message);
  const message = downMessageSchema.safeParse(json.value);
  if (!message.success) {
    const issue = message.error.issues[0];
    const place = issue === undefined ? '' : ` at "${issue.path.join('.')}": ${issue.message}`;
    return err(`Expected frames of the relay protocol${place}`);
  }
  return ok(Array.isArray(message.data) ? message.data : [message.data]);
}
