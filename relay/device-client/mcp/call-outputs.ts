import { createOutputLines } from '@/lib/device/output-lines';

/** What the calls of one server say while they run. */
export type CallOutputs = {
  /** @param onLine - undefined when nobody listens */
  open(onLine: ((line: string) => void) | undefined): { readonly token: number; close(): void };
  /** Text of the call with a token; that of a call which is over is dropped. */
  add(token: string | number, text: string): void;
  /** Text that names no call: while only one runs it is that one's. Says whether there was one. */
  addToOnly(text: string): boolean;
};

export function createCallOutputs(): CallOutputs {
  const calls = new Map<number, (text: string) => void>();
  let lastToken = 0;
  return {
    open(onLine = () => {}) {
      lastToken += 1;
      const token = lastToken;
      // A message is whole: it ends its last line.
      const lines = createOutputLines(onLine);
      calls.set(token, (text) => {
        lines.write(text);
        lines.end();
      });
      return { token, close: () => calls.delete(token) };
    },
    add: (token, text) => calls.get(Number(token))?.(text),
    addToOnly(text) {
      const [only, ...others] = calls.values();
      if (!only || others.length > 0) return false;
      only(text);
      return true;
    },
  };
}
