const BLOCK_LINES = 50;

export type OutputBlock = { readonly number: number; readonly content: string };

/**
 * Lines in blocks that stay the same while lines come and go at the ends: a line belongs to a block by its number. Each line
 * ends with a line break, since a break at the end of a block is not drawn and an empty line would be lost.
 */
export function blocksOf(lines: readonly string[], firstLine: number): readonly OutputBlock[] {
  const blocks: OutputBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    const number = Math.floor((firstLine + at) / BLOCK_LINES);
    const end = (number + 1) * BLOCK_LINES - firstLine;
    blocks.push({ number, content: `${lines.slice(at, end).join('\n')}\n` });
    at = end;
  }
  return blocks;
}
