/** A longer line is cut: it is there to be looked at, and the result has it whole. */
const LINE_CHARACTERS_MAX = 8_192;

/** Colours, moves of the cursor, titles of windows: what only a terminal could show. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const TERMINAL_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-Z\\^-~])/g;

/** Characters that show nothing, or turn the text around them, so that a line reads as something that it is not. */
const INVISIBLE = /(?!\t)[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** One line as a device sent it, made safe to be shown as text anywhere. */
export function cleanLine(line: string): string {
  const whole = line.length > LINE_CHARACTERS_MAX ? `${line.slice(0, LINE_CHARACTERS_MAX)} …` : line;
  const plain = whole.replace(TERMINAL_SEQUENCE, '').replace(/\r+$/, '');
  // A program that draws a bar of progress writes it again and again over the same line.
  const shown = plain.slice(plain.lastIndexOf('\r') + 1);
  return shown.replace(INVISIBLE, '').toWellFormed();
}
