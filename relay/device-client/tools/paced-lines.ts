import { createOutputLines } from '@/lib/device/output-lines';

export type PacedLines = {
  /** Takes what a program has just written, as bytes of UTF-8. */
  write(bytes: Buffer): void;
  /** The program writes no more: hands out all that is left, now. */
  end(): void;
};

/** Far more than a person reads or a connection carries, and little enough that this program does other things, too. */
const WINDOW_MS = 50;
const LINES_PER_WINDOW = 1_000;
const BYTES_PER_WINDOW = 65_536;
/** What waits for its turn; the oldest of more is left out. */
const WAITING_BYTES_MAX = 65_536;

const NEWLINE = 10;
const RETURN = 13;

/**
 * Hands out lines at once while they come at a bearable rate. A program that writes as fast as it can is read all the
 * same, and costs no more than a slower one: of what comes too fast the newest is kept, and one line says how many lines
 * are missing before it.
 */
export function createPacedLines(onLine: (line: string) => void): PacedLines {
  const lines = createOutputLines(onLine);
  let decoder = new TextDecoder('utf-8');
  let waiting: Buffer = Buffer.alloc(0);
  let leftOut: number | undefined;
  let linesLeft = 0;
  let bytesLeft = 0;
  let window: NodeJS.Timeout | undefined;

  function openWindow(): void {
    linesLeft = LINES_PER_WINDOW;
    bytesLeft = BYTES_PER_WINDOW;
    window = setTimeout(() => {
      window = undefined;
      if (waiting.byteLength > 0) handOut();
    }, WINDOW_MS);
  }

  function handOut(): void {
    if (!window) openWindow();
    const end = endOfTurn();
    if (end === 0) return;
    tellLeftOut();
    const part = waiting.subarray(0, end);
    waiting = waiting.subarray(end);
    bytesLeft -= end;
    lines.write(decoder.decode(part, { stream: true }));
  }

  /** How much of what waits may go in this window; uses up the lines. */
  function endOfTurn(): number {
    const end = Math.min(waiting.byteLength, bytesLeft);
    for (let index = 0; index < end; index += 1) {
      const byte = waiting[index];
      if (byte !== NEWLINE && byte !== RETURN) continue;
      if (linesLeft === 0) return index;
      linesLeft -= 1;
    }
    return end;
  }

  function leaveOutOldest(): void {
    const least = waiting.byteLength - WAITING_BYTES_MAX;
    const newline = waiting.indexOf(NEWLINE, least - 1);
    const cut = newline < 0 ? least : newline + 1;
    leftOut ??= 0;
    for (let index = waiting.indexOf(NEWLINE); index >= 0 && index < cut; index = waiting.indexOf(NEWLINE, index + 1)) {
      leftOut += 1;
    }
    waiting = waiting.subarray(cut);
  }

  function tellLeftOut(): void {
    if (leftOut === undefined) return;
    lines.write(decoder.decode());
    decoder = new TextDecoder('utf-8');
    lines.end();
    onLine(`[${Math.max(leftOut, 1)} lines left out]`);
    leftOut = undefined;
  }

  return {
    write(bytes) {
      waiting = waiting.byteLength === 0 ? bytes : Buffer.concat([waiting, bytes]);
      if (!window || linesLeft > 0) handOut();
      if (waiting.byteLength > WAITING_BYTES_MAX) leaveOutOldest();
    },
    end() {
      clearTimeout(window);
      tellLeftOut();
      lines.write(decoder.decode(waiting));
      waiting = Buffer.alloc(0);
      lines.end();
    },
  };
}
