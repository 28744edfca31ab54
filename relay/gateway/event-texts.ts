import type { StreamEvent } from '@/lib/relay-protocol/down';
import type { StreamName } from '@/lib/relay-protocol/streams';
import type { Runtime } from '@/relay/runtime/runtime-port';

/** Enough for every connection to be some seconds behind a busy run. */
const TEXTS_MAX = 4_096;
const CHARACTERS_MAX = 16 * 1024 * 1024;

export type NumberedText = { readonly number: number; readonly text: string };

/** Events as JSON text, made once per event however many browsers read it. */
export class EventTexts {
  readonly #runtime: Pick<Runtime, 'readAfter'>;
  readonly #texts = new Map<string, string>();
  #characters = 0;

  constructor(runtime: Pick<Runtime, 'readAfter'>) {
    this.#runtime = runtime;
  }

  readAfter(stream: StreamName, epoch: string, range: { number: number; limit: number }): NumberedText[] {
    return this.#runtime
      .readAfter(stream, range.number, range.limit)
      .map(({ number, event }) => ({ number, text: this.#textOf(`${epoch} ${number} ${stream}`, event) }));
  }

  #textOf(key: string, event: StreamEvent): string {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = JSON.stringify(event);
    this.#texts.set(key, text);
    this.#characters += text.length;
    for (const [oldest, oldText] of this.#texts) {
      if (this.#texts.size <= TEXTS_MAX && this.#characters <= CHARACTERS_MAX) break;
      this.#texts.delete(oldest);
      this.#characters -= oldText.length;
    }
    return text;
  }
}
