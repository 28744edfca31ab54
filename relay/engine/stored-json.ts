import type { StreamEvent } from '@/lib/relay-protocol/down';

export function toStoredText(event: StreamEvent): string {
  return JSON.stringify(event);
}

/**
 * Reads an event back. The cast holds because only `toStoredText` writes this column, from values of this type, and the
 * schema version of the file is checked when it is opened.
 */
export function fromStoredText(text: string): StreamEvent {
  return JSON.parse(text) as StreamEvent;
}
