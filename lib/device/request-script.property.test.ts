import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitCommandLine } from './command-line';
import { parseRequestScript } from './request-script';

/** Writes a word so that it should be read back as it was. */
function quoteWord(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const word = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text));
const toolName = fc.stringMatching(/^[a-z_][a-z0-9_]{0,20}$/);
const key = fc.stringMatching(/^[a-z_][a-z0-9_]{0,10}$/).filter((name) => name !== '__proto__');

/** The key is refused at any depth, and chance finds it now and then. */
const json = fc.jsonValue({ maxDepth: 5 }).filter((value) => !JSON.stringify(value).includes('"__proto__":'));

test('any text at all is a script or a sentence, never a crash', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const script = parseRequestScript(text);
      if (script.ok) expect(script.value.every((round) => round.commands.length > 0)).toBe(true);
      else expect(script.error).toContain('Understood are');
    }),
  );
});

test('words that were quoted are read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(splitCommandLine(words.map(quoteWord).join(' '))).toEqual({ ok: true, value: words });
    }),
  );
});

test('arguments as JSON are read back unchanged', () => {
  fc.assert(
    fc.property(toolName, fc.dictionary(key, json), (name, parameters) => {
      const written = JSON.parse(JSON.stringify(parameters));
      const script = parseRequestScript(`${name} ${JSON.stringify(parameters)}`);
      expect(script.ok && script.value[0]?.commands[0]).toMatchObject({ toolName: name, parameters: written });
    }),
  );
});

test('arguments as key=value pairs are read back unchanged', () => {
  const value = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.maxSafeInteger());
  fc.assert(
    fc.property(toolName, fc.dictionary(key, value, { minKeys: 1 }), (name, parameters) => {
      const pairs = Object.entries(parameters).map(([each, value]) => `${each}=${JSON.stringify(value)}`);
      const script = parseRequestScript(`${name} ${pairs.join(' ')}`);
      expect(script.ok && script.value[0]?.commands[0]).toMatchObject({ toolName: name, parameters });
    }),
  );
});

test('the frame of a constellation changes nothing', () => {
  const line = fc.constantFrom('$ date', 'get_system_info', '', 'prose it is', 'tool a=1', '$ a | b');
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.string()), (lines, tips) => {
      const text = lines.join('\n');
      const framed = `Task Description: ${text}\nTips for Completion:\n${tips.map((tip) => ` - ${tip}`).join('\n')}`;
      expect(parseRequestScript(framed)).toEqual(parseRequestScript(text));
    }),
  );
});
