import type { TaskOutputResource } from '@/lib/relay-protocol/http';
import type { OutputMark } from '@/lib/relay-protocol/output';

/** The page's copy of what one attempt of a task has printed. */
export type TaskOutputCopy = {
  /** 0 before anything was fetched. */
  readonly attempt: number;
  /** The number of the first of `lines`; so many are left out. */
  readonly firstLine: number;
  readonly lines: readonly string[];
};

export const NO_OUTPUT: TaskOutputCopy = { attempt: 0, firstLine: 0, lines: [] };

/** The number that the next line will have. */
export function nextLine({ firstLine, lines }: TaskOutputCopy): number {
  return firstLine + lines.length;
}

export function isBehind(copy: TaskOutputCopy, mark: OutputMark): boolean {
  if (copy.attempt !== mark.attempt) return mark.nextLine > 0 || copy.lines.length > 0;
  return nextLine(copy) < mark.nextLine;
}

/** Puts what came behind what is there. A piece of another attempt, or after a gap, takes the place of all. */
export function withPiece(copy: TaskOutputCopy, piece: TaskOutputResource): TaskOutputCopy {
  // The relay was started anew, or has no room: what was printed is still worth reading.
  if (piece.attempt === null) return copy;
  if (piece.attempt !== copy.attempt || piece.start_line !== nextLine(copy)) {
    return { attempt: piece.attempt, firstLine: piece.start_line, lines: piece.lines };
  }
  const leftOut = Math.max(0, piece.first_line - copy.firstLine);
  const lines = [...copy.lines, ...piece.lines].slice(leftOut);
  return { attempt: copy.attempt, firstLine: copy.firstLine + leftOut, lines };
}
