import type { JsonObject } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';
import { splitCommandLine } from './command-line';
import { parseToolLine } from './tool-line';

/** One action: the tool, its arguments and the line that asked for it. */
export type ScriptCommand = {
  readonly line: string;
  readonly toolName: string;
  readonly parameters: JsonObject;
};

/** Commands that travel together in one COMMAND. Never empty. */
export type ScriptRound = { readonly request: string; readonly commands: readonly ScriptCommand[] };

/** The rounds of a request, in order. Never empty. */
export type RequestScript = readonly ScriptRound[];

const FRAME_START = 'Task Description: ';
const FRAME_END = 'Tips for Completion:';

/** What the built-in agent understands; stands at the end of each refusal. */
const UNDERSTOOD =
  'Understood are lines such as `$ df -h` (a command with its arguments, no shell), `read_file path=notes.txt` or ' +
  '`write_file {"path": "notes.txt", "content": "hello"}`; lines in a row run as one round, a blank line starts the next.';

/** The text that a person wrote: without the frame that a constellation puts around it, and without its tips. */
export function taskTextOf(request: string): string {
  if (!request.startsWith(FRAME_START)) return request;
  const lines = request.slice(FRAME_START.length).split('\n');
  const end = lines.findIndex((line) => line.trimEnd() === FRAME_END);
  return (end === -1 ? lines : lines.slice(0, end)).join('\n');
}

/**
 * Reads a request as commands. The whole request is read before anything runs, so a mistake in the last line costs
 * nothing.
 *
 * @returns the rounds, or a sentence that names the line, what is wrong with it and what is understood
 */
export function parseRequestScript(request: string): Result<RequestScript, string> {
  const rounds: ScriptRound[] = [];
  let commands: ScriptCommand[] = [];
  const endRound = () => {
    if (commands.length === 0) return;
    rounds.push({ request: commands.map((command) => command.line).join('\n'), commands });
    commands = [];
  };
  for (const [index, written] of taskTextOf(request)
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = written.trim();
    if (line === '') endRound();
    else {
      const command = parseLine(line);
      if (!command.ok) return err(`Line ${index + 1}, ${shorten(line)}, ${command.error}. ${UNDERSTOOD}`);
      commands.push({ line, ...command.value });
    }
  }
  endRound();
  return rounds.length === 0 ? err(`The request holds no command. ${UNDERSTOOD}`) : ok(rounds);
}

function parseLine(line: string): Result<{ toolName: string; parameters: JsonObject }, string> {
  if (line === '$' || /^\$\s/.test(line)) return parseCommandLine(line.slice(1));
  return parseToolLine(line) ?? err('is no command');
}

function parseCommandLine(text: string): Result<{ toolName: string; parameters: JsonObject }, string> {
  const words = splitCommandLine(text);
  if (!words.ok) return words;
  const [command, ...args] = words.value;
  if (command === undefined || command === '') return err('names no command after the $');
  return ok({ toolName: 'execute_command', parameters: { command, args } });
}

function shorten(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}
