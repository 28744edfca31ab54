/** Where a text stops being JSON. Line and column count from 1; a column is a UTF-16 unit. */
export type JsonFault = { readonly line: number; readonly column: number; readonly message: string };

/** A key that stands twice in one object; `JSON.parse` would keep the last in silence. */
export type DuplicateKey = { readonly path: readonly string[]; readonly line: number };

export type JsonScan = { readonly fault: JsonFault | null; readonly duplicates: readonly DuplicateKey[] };

type Container =
  | { readonly kind: 'object'; readonly keys: Set<string>; key: string }
  | { readonly kind: 'list'; length: number };

/** What may come next. `first-…` also allows the end of the container. */
type Expected = 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'comma-or-end' | 'end';

const WORDS: Record<Expected, string> = {
  value: 'a value',
  'first-value': 'a value or "]"',
  key: 'a key in double quotes',
  'first-key': 'a key in double quotes or "}"',
  colon: '":" after the key',
  'comma-or-end': '"," or the end of the object or list',
  end: 'nothing more after the value',
};

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;

/**
 * Walks over JSON text without building anything: engines differ in whether they tell where a text goes wrong, and
 * none tells of keys that stand twice. Iterative, so that nesting costs no stack.
 */
export function scanJson(text: string): JsonScan {
  const open: Container[] = [];
  const duplicates: DuplicateKey[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return null;
    at += match[0].length;
    return match[0];
  };
  const takeString = (): string | null => {
    const end = endOfString(text, at);
    if (end === null) return null;
    const string = text.slice(at, end);
    at = end;
    return string;
  };
  const fault = (): JsonScan => ({ fault: faultAt(text, at, expected), duplicates: [] });

  while (true) {
    take(SPACE);
    if (at >= text.length) break;
    const top = open.at(-1);
    const sign = text[at];
    if (expected === 'colon') {
      if (sign !== ':') return fault();
      at += 1;
      expected = 'value';
    } else if (expected === 'key' || (expected === 'first-key' && sign !== '}')) {
      const key = takeString();
      if (key === null || top?.kind !== 'object') return fault();
      top.key = JSON.parse(key);
      if (top.keys.has(top.key)) duplicates.push({ path: pathOf(open), line: lineAt(text, at) });
      top.keys.add(top.key);
      expected = 'colon';
    } else if (expected === 'value' || (expected === 'first-value' && sign !== ']')) {
      if (sign === '{' || sign === '[') {
        at += 1;
        open.push(sign === '{' ? { kind: 'object', keys: new Set(), key: '' } : { kind: 'list', length: 0 });
        expected = sign === '{' ? 'first-key' : 'first-value';
        continue;
      }
      if ((sign === '"' ? takeString() : take(SCALAR)) === null) return fault();
      expected = afterValue(open);
    } else if (expected === 'comma-or-end' && sign === ',') {
      at += 1;
      if (top?.kind === 'list') top.length += 1;
      expected = top?.kind === 'object' ? 'key' : 'value';
    } else {
      const closes = top?.kind === 'object' ? '}' : ']';
      if (expected === 'end' || sign !== closes) return fault();
      at += 1;
      open.pop();
      expected = afterValue(open);
    }
  }
  return expected === 'end' ? { fault: null, duplicates } : fault();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** By hand: a pattern would need stack for each character of a long text. @returns null when it is no whole string */
function endOfString(text: string, start: number): number | null {
  if (text.charCodeAt(start) !== QUOTE) return null;
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < FIRST_PRINTABLE) return null;
    if (code === BACKSLASH) {
      ESCAPE.lastIndex = at;
      const match = ESCAPE.exec(text);
      if (match === null) return null;
      at += match[0].length;
    } else at += 1;
  }
  return null;
}

function afterValue(open: readonly Container[]): Expected {
  return open.length === 0 ? 'end' : 'comma-or-end';
}

function pathOf(open: readonly Container[]): string[] {
  return open.map((container) => (container.kind === 'object' ? container.key : String(container.length)));
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let index = text.indexOf('\n'); index !== -1 && index < at; index = text.indexOf('\n', index + 1)) line += 1;
  return line;
}

const SHOWN_MAX = 20;

function faultAt(text: string, at: number, expected: Expected): JsonFault {
  const column = at - text.lastIndexOf('\n', at - 1);
  const rest = text.slice(at, at + SHOWN_MAX).split('\n')[0] ?? '';
  const got = at >= text.length ? 'the end of the text' : JSON.stringify(rest);
  const isBrokenString = text[at] === '"' && expected !== 'comma-or-end' && expected !== 'colon' && expected !== 'end';
  const wanted = isBrokenString ? 'a string that is closed on its own line, with known escapes' : WORDS[expected];
  return { line: lineAt(text, at), column, message: `expected ${wanted}, got ${got}` };
}
