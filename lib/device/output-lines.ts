export type OutputLines = {
  /** Takes what a program has just written, in pieces of any length. */
  write(text: string): void;
  /** The program writes no more: a last line without an end is handed out. */
  end(): void;
};

/** In UTF-16 units. A longer line is handed out in pieces, so that one without an end is seen, too, and fills no memory. */
export const LINE_LENGTH_MAX = 8_192;

const LINE_END = /\r\n|\r|\n/g;
/** What colours a terminal or moves its cursor. */
const TERMINAL_CODE = new RegExp(`${String.fromCharCode(27)}\\[[0-?]*[ -/]*[@-~]`, 'g');
const CONTROL_CHARACTER = /[^\P{Cc}\t]/gu;

/**
 * Cuts the output of a program into lines that do no harm to whoever shows them. A lone carriage return ends a line as
 * well: programs that draw their progress over and over write nothing else.
 */
export function createOutputLines(onLine: (line: string) => void): OutputLines {
  let begun = '';
  /** A newline that comes next belongs to the carriage return before it. */
  let hasReturned = false;

  function handOut(line: string): void {
    onLine(line.toWellFormed().replace(TERMINAL_CODE, '').replace(CONTROL_CHARACTER, '\uFFFD'));
  }

  function add(text: string): void {
    begun += text;
    while (begun.length > LINE_LENGTH_MAX) {
      const isSplit = (begun.codePointAt(LINE_LENGTH_MAX - 1) ?? 0) > 0xffff;
      const length = isSplit ? LINE_LENGTH_MAX - 1 : LINE_LENGTH_MAX;
      handOut(begun.slice(0, length));
      begun = begun.slice(length);
    }
  }

  function finish(): void {
    const line = begun;
    begun = '';
    handOut(line);
  }

  return {
    write(text) {
      if (text === '') return;
      let from = hasReturned && text.startsWith('\n') ? 1 : 0;
      hasReturned = text.endsWith('\r');
      LINE_END.lastIndex = from;
      for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
        add(text.slice(from, end.index));
        finish();
        from = end.index + end[0].length;
      }
      add(text.slice(from));
    },
    end() {
      if (begun !== '') finish();
    },
  };
}
