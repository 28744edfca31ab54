import type { TaskResult } from '@/lib/run/run';
import type { JsonValue } from '@/lib/std/json';
import type { Blobs } from '@/relay/engine/engine';

/** Larger results lie beside the journal, so that replaying a run stays cheap. */
const INLINE_BYTES_MAX = 1_048_576;

export function keepResult(blobs: Blobs, value: JsonValue): TaskResult {
  const text = JSON.stringify(value);
  // Without counting: no text is larger than three bytes for each of its units.
  if (text.length * 3 <= INLINE_BYTES_MAX) return { kind: 'inline', value };
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.byteLength <= INLINE_BYTES_MAX) return { kind: 'inline', value };
  return { kind: 'blob', ...blobs.put(bytes, 'application/json') };
}
