import { err, ok, type Result } from '@/lib/std/result';

/** What a shell would do with an unquoted character, and why there is no shell to do it. */
const SHELL_FEATURES: ReadonlyMap<string, string> = new Map([
  ['|', 'a pipe'],
  ['&', 'a background or "and" operator'],
  [';', 'a command separator'],
  ['<', 'a redirect'],
  ['>', 'a redirect'],
  ['(', 'a subshell'],
  [')', 'a subshell'],
  ['`', 'a command substitution'],
  ['*', 'a glob'],
  ['?', 'a glob'],
  ['[', 'a glob'],
  ['{', 'a brace expansion'],
  ['}', 'a brace expansion'],
]);

/** After `$` these begin a substitution; before anything else a `$` is only a dollar sign. */
const SUBSTITUTION_START = /[A-Za-z0-9_({?$!#@*-]/;

type Reader = { readonly text: string; at: number };

/**
 * Splits a line into words as a POSIX shell would: spaces part words, single and double quotes and backslashes keep
 * characters together. Whatever would need a shell is an error that names it, so that a line never means something else
 * than it says.
 */
export function splitCommandLine(line: string): Result<readonly string[], string> {
  const reader: Reader = { text: line, at: 0 };
  const words: string[] = [];
  for (;;) {
    skipSpaces(reader);
    if (reader.at >= line.length) return ok(words);
    const word = readWord(reader);
    if (!word.ok) return word;
    words.push(word.value);
  }
}

function readWord(reader: Reader): Result<string, string> {
  let word = '';
  const start = reader.at;
  while (reader.at < reader.text.length && !isSpace(reader.text[reader.at])) {
    const part = readPart(reader, reader.at === start);
    if (!part.ok) return part;
    word += part.value;
  }
  return ok(word);
}

/** Reads one character, escaped character or quoted stretch. */
function readPart(reader: Reader, isFirst: boolean): Result<string, string> {
  const character = reader.text[reader.at] ?? '';
  if (character === "'") return readSingleQuoted(reader);
  if (character === '"') return readDoubleQuoted(reader);
  reader.at += 1;
  if (character === '\\') {
    const escaped = takeCodePoint(reader);
    return escaped === '' ? err('ends in a backslash; write "\\\\" for a backslash') : ok(escaped);
  }
  const feature = SHELL_FEATURES.get(character);
  if (feature !== undefined) return err(shellFeature(character, feature));
  if (character === '$' && startsSubstitution(reader)) return err(shellFeature('$', 'a substitution'));
  if (isFirst && character === '~') return err(shellFeature('~', 'a home folder'));
  if (isFirst && character === '#') return err(shellFeature('#', 'a comment'));
  return ok(character);
}

function readSingleQuoted(reader: Reader): Result<string, string> {
  const end = reader.text.indexOf("'", reader.at + 1);
  if (end === -1) return err("has a ' that is never closed");
  const inner = reader.text.slice(reader.at + 1, end);
  reader.at = end + 1;
  return ok(inner);
}

function readDoubleQuoted(reader: Reader): Result<string, string> {
  let inner = '';
  reader.at += 1;
  while (reader.at < reader.text.length) {
    const character = reader.text[reader.at] ?? '';
    reader.at += 1;
    if (character === '"') return ok(inner);
    if (character === '`') return err(shellFeature('`', 'a command substitution'));
    if (character === '$' && startsSubstitution(reader)) return err(shellFeature('$', 'a substitution'));
    const next = reader.text[reader.at];
    if (character === '\\' && next !== undefined && '"\\$`'.includes(next)) {
      inner += next;
      reader.at += 1;
    } else inner += character;
  }
  return err('has a " that is never closed');
}

function startsSubstitution(reader: Reader): boolean {
  const next = reader.text[reader.at];
  return next !== undefined && SUBSTITUTION_START.test(next);
}

function takeCodePoint(reader: Reader): string {
  const point = reader.text.codePointAt(reader.at);
  if (point === undefined) return '';
  const character = String.fromCodePoint(point);
  reader.at += character.length;
  return character;
}

function skipSpaces(reader: Reader): void {
  while (isSpace(reader.text[reader.at])) reader.at += 1;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function shellFeature(character: string, feature: string): string {
  return `has an unquoted ${character} (${feature}); commands run without a shell: put it in single quotes if it is text, else use one line per command`;
}
