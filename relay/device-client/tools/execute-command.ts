import { z } from 'zod';
import { errorCode } from '@/lib/std/error-code';
import { type CommandRule, checkCommand, pathsIn } from './command-policy';
import { type DeviceTool, defineTool, type ToolCallContext, type ToolSurroundings } from './device-tool';
import { findProgram } from './find-program';
import type { ProcessEnd, ProcessOutput } from './run-process';
import { ToolError } from './tool-error';

const TIMEOUT_SECONDS_DEFAULT = 300;
/** The server waits no longer for any command. */
const TIMEOUT_SECONDS_MAX = 6_000;
const OUTPUT_BYTES_MAX = 256 * 1024;
/** An error is one sentence on a node of a graph, not a log. */
const ERROR_DETAIL_LENGTH_MAX = 2_000;

const input = z.strictObject({
  command: z.string().min(1).describe('Name of the program, without a path'),
  args: z.array(z.string()).max(1_000).default([]).describe('Its arguments, one per item; there is no shell'),
  timeout_seconds: z
    .number()
    .positive()
    .max(TIMEOUT_SECONDS_MAX)
    .default(TIMEOUT_SECONDS_DEFAULT)
    .describe(`Seconds after which it is ended, ${TIMEOUT_SECONDS_DEFAULT} by default`),
});

type Input = z.output<typeof input>;

export function createExecuteCommand(surroundings: ToolSurroundings): DeviceTool {
  return defineTool({
    name: 'execute_command',
    title: 'Run a command',
    description:
      'Runs one program of the device’s list in the root folder, without a shell, and returns what it wrote. ' +
      'Each line is told when the program writes it; one that collects its output for a pipe writes late. ' +
      `Allowed: ${[...surroundings.policy.keys()].sort().join(', ')}.`,
    input,
    isReadOnly: false,
    async run(order, context) {
      const verdict = checkCommand(surroundings.policy, order.command, order.args);
      if (!verdict.ok) throw new ToolError(verdict.error);
      await checkPaths(surroundings, verdict.value, order);
      const timeoutMs = Math.min(order.timeout_seconds * 1_000, context.timeoutMs ?? Number.POSITIVE_INFINITY);
      const end = await runProgram(surroundings, order, { ...context, timeoutMs });
      return { text: textOf(end, { command: order.command, timeoutMs, rule: verdict.value }) };
    },
  });
}

async function checkPaths({ root }: ToolSurroundings, rule: CommandRule, { command, args }: Input): Promise<void> {
  if (args.some((arg) => arg.includes('\0'))) throw new ToolError('An argument must not hold a NUL character');
  if (!rule.touchesFiles) return;
  for (const arg of args) {
    for (const candidate of pathsIn(arg)) {
      if ((candidate === '/' && rule.slashIsText) || candidate === '') continue;
      if (await root.leadsOutside(candidate)) {
        throw new ToolError(
          `${command} may not be run this way: ${JSON.stringify(arg.slice(0, 200))} leads out of the device’s root folder. ` +
            'The owner of the device lifts this limit for a command with --allow',
        );
      }
    }
  }
}

async function runProgram(
  { processes, searchPath, environment, root }: ToolSurroundings,
  { command, args }: Input,
  { signal, timeoutMs, onOutput }: ToolCallContext & { readonly timeoutMs: number },
): Promise<ProcessEnd> {
  const file = await findProgram(command, searchPath);
  if (file === undefined) throw new ToolError(`${command} is not installed on this device`);
  try {
    return await processes.run({
      file,
      name: command,
      args,
      folder: root.realPath,
      environment,
      timeoutMs,
      outputBytesMax: OUTPUT_BYTES_MAX,
      signal,
      onOutput,
    });
  } catch (cause) {
    throw new ToolError(`${command} could not be started (${errorCode(cause) || 'unknown reason'})`, { cause });
  }
}

type Ran = { readonly command: string; readonly timeoutMs: number; readonly rule: CommandRule };

function textOf(end: ProcessEnd, { command, timeoutMs, rule }: Ran): string {
  if (end.how === 'cancelled') throw new ToolError(`${command} was stopped because its task was cancelled`);
  if (end.how === 'timed-out') {
    throw new ToolError(`${command} timed out after ${secondsOf(timeoutMs)} s and was stopped${detailOf(end)}`);
  }
  if (end.exitCode === undefined) throw new ToolError(`${command} was ended by ${end.endSignal}${detailOf(end)}`);
  const isAnswer = end.exitCode === 0 || (rule.answerCodes?.includes(end.exitCode) && end.stderr.text === '');
  if (!isAnswer) throw new ToolError(`${command} exited with code ${end.exitCode}${detailOf(end)}`);
  const stderr = shown(end.stderr);
  return stderr === '' ? shown(end.stdout) : `${shown(end.stdout)}\n[stderr]\n${stderr}`.trimStart();
}

/** A deadline leaves a command any number of milliseconds; nobody wants to read them. */
function secondsOf(timeoutMs: number): number {
  return Math.round(timeoutMs / 100) / 10;
}

/** As `$(…)` reads it: without the newline at the end. */
function shown({ text, droppedBytes }: ProcessOutput): string {
  if (droppedBytes > 0) return `${text}\n[cut: ${droppedBytes} more bytes]`;
  return text.replace(/\r?\n$/, '');
}

function detailOf({ stderr, stdout }: ProcessEnd): string {
  const detail = (stderr.text.trim() === '' ? stdout.text : stderr.text).trim();
  if (detail === '') return '';
  // The end says why: what comes last is kept.
  return `: ${detail.length > ERROR_DETAIL_LENGTH_MAX ? `…${detail.slice(-ERROR_DETAIL_LENGTH_MAX)}` : detail}`;
}
