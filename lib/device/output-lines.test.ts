import { expect, test } from 'vitest';
import { createOutputLines, LINE_LENGTH_MAX } from './output-lines';

function linesOf(...pieces: readonly string[]): readonly string[] {
  const lines: string[] = [];
  const output = createOutputLines((line) => lines.push(line));
  for (const piece of pieces) output.write(piece);
  output.end();
  return lines;
}

test('a line is handed out as soon as it ends, wherever the pieces are cut', () => {
  const lines: string[] = [];
  const output = createOutputLines((line) => lines.push(line));
  output.write('on');
  expect(lines).toEqual([]);
  output.write('e\ntwo\n\nth');
  expect(lines).toEqual(['one', 'two', '']);
  output.end();
  expect(lines).toEqual(['one', 'two', '', 'th']);
});

test('an output that ends with its last line has no empty one after it', () => {
  expect(linesOf('one\n')).toEqual(['one']);
  expect(linesOf('')).toEqual([]);
});

test('lines end with newlines, carriage returns or both, also when both come apart', () => {
  expect(linesOf('a\r\nb\rc\nd')).toEqual(['a', 'b', 'c', 'd']);
  expect(linesOf('a\r', '\nb')).toEqual(['a', 'b']);
  expect(linesOf('a\r', '', '\nb')).toEqual(['a', 'b']);
  expect(linesOf('a\r', 'b\n', '\nc')).toEqual(['a', 'b', '', 'c']);
});

test('each step of a progress bar is seen when it is drawn', () => {
  const lines: string[] = [];
  const output = createOutputLines((line) => lines.push(line));
  output.write('10 %\r20 %\r');
  expect(lines).toEqual(['10 %', '20 %']);
});

test('a line without an end comes in pieces, none of which ends in half a character', () => {
  expect(linesOf('x'.repeat(LINE_LENGTH_MAX), 'yy\n')).toEqual(['x'.repeat(LINE_LENGTH_MAX), 'yy']);
  const [first, second] = linesOf(`${'x'.repeat(LINE_LENGTH_MAX - 1)}😀z`);
  expect([first?.length, second]).toEqual([LINE_LENGTH_MAX - 1, '😀z']);
});

test('half a character, terminal codes and control characters do no harm', () => {
  expect(linesOf('a\ud800b\n')).toEqual(['a\uFFFDb']);
  expect(linesOf('\u001b[1;31mred\u001b[0m \u001b[2J\u0007\u0000\u009b\ttab')).toEqual(['red \uFFFD\uFFFD\uFFFD\ttab']);
});
