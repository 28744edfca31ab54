import { expect, test } from 'vitest';
import { cleanLine } from './clean-line';

const ESCAPE = '\u001b';

test.each([
  ['words stay as they are', 'Größe: 3 µm\t☄ 日本', 'Größe: 3 µm\t☄ 日本'],
  ['colours go', `${ESCAPE}[1;31mred${ESCAPE}[0m`, 'red'],
  ['titles and links of a terminal go', `${ESCAPE}]0;title\u0007a${ESCAPE}]8;;http://x${ESCAPE}\\b`, 'ab'],
  ['moves of the cursor go', `a${ESCAPE}[2K${ESCAPE}[?25lb${ESCAPE}(Bc${ESCAPE}7`, 'abc'],
  ['a sequence that was cut off loses its beginning only', `a${ESCAPE}[31`, 'a[31'],
  ['of a line that was written over, the last stays', '10%\r50%\r100%\r', '100%'],
  ['other control characters go', 'a\u0000b\u0008c\u009bd\u007fe', 'abcde'],
  ['nothing turns the text around', 'a\u202egnp.exe\u2066b', 'agnp.exeb'],
  ['nothing breaks the line', 'a\u2028b\u2029c\nd', 'abcd'],
  ['half of a pair becomes a mark', 'a\ud83d', 'a\ufffd'],
])('%s', (_, line, shown) => {
  expect(cleanLine(line)).toBe(shown);
});

test('a line without end is cut', () => {
  expect(cleanLine('x'.repeat(100_000)).length).toBeLessThan(8_200);
});
