import { Composer, type CST, type Document, isScalar, Lexer, LineCounter, Parser, visit } from 'yaml';
import { type JsonValue, parseJson } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';

export type FilePlace = { readonly path: string; readonly message: string };

const DEPTH_MAX = 64;
/** One level of a file takes up to this many entries of the parser's stack. */
const STACK_PER_LEVEL = 2;
/** A few shared blocks are handy; a file that unfolds itself again and again is an attack. */
const ALIASES_MAX = 64;
const ERRORS_TOLD_MAX = 20;
const KEY_SHOWN_MAX = 100;
const TOO_DEEP = `Expected at most ${DEPTH_MAX} levels of nesting; flatten the file`;

/** YAML to JSON, with the guards that JSON gets: no foreign tags, bounded aliases and depth, no key twice, no `__proto__`. */
export function parseYaml(text: string): Result<JsonValue, FilePlace[]> {
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  const tokens = tokensOf(text, lines);
  if (!tokens.ok) return err([{ path: at(tokens.error), message: TOO_DEEP }]);
  const composer = new Composer({ schema: 'core', prettyErrors: false, logLevel: 'error', uniqueKeys: false });
  const [document, another] = composer.compose(tokens.value, true, text.length);
  if (document === undefined) return ok(null);
  if (another !== undefined) {
    return err([{ path: at(another.range[0]), message: 'Expected one document, got another one; remove it' }]);
  }
  const faults = [
    ...document.errors.map(({ pos, message }) => ({ path: at(pos[0]), message })),
    ...keysTwice(document).map(({ key, offset }) => ({ path: at(offset), message: `The key "${key}" stands twice` })),
  ];
  if (faults.length > 0) return err(faults.slice(0, ERRORS_TOLD_MAX));
  const plain = toPlain(() => JSON.stringify(document.toJS({ maxAliasCount: ALIASES_MAX })) ?? 'null');
  if (!plain.ok) return err([{ path: '(file)', message: plain.error }]);
  const parsed = parseJson(plain.value, { depthMax: DEPTH_MAX, protoKey: 'refuse' });
  return parsed.ok ? parsed : err([{ path: '(file)', message: parsed.error.message }]);
}

/**
 * The parser keeps a stack of its own, but what composes its tokens recurses, and running out of stack inside of a regular
 * expression ends the process. So depth is counted in between.
 *
 * @returns the tokens, or the offset at which they are too deep
 */
function tokensOf(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > DEPTH_MAX * STACK_PER_LEVEL) return err(parser.offset);
  }
  tokens.push(...parser.end());
  return ok(tokens);
}

/** With a set for each map; the library compares each key with each other one, which takes minutes for a long file. */
function keysTwice(document: Document.Parsed): { readonly key: string; readonly offset: number }[] {
  const found: { readonly key: string; readonly offset: number }[] = [];
  visit(document, {
    Map(_, { items }) {
      const known = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (known.has(name)) found.push({ key: name.slice(0, KEY_SHOWN_MAX), offset: key.range?.[0] ?? 0 });
        known.add(name);
      }
    },
  });
  return found;
}

/** The library throws for too many aliases and for loops; both are faults of the file. */
function toPlain(read: () => string): Result<string, string> {
  try {
    return ok(read());
  } catch (cause) {
    return err(cause instanceof Error ? cause.message : String(cause));
  }
}
