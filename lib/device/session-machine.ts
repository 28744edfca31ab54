import type { CommandResult, ToolType } from '@/lib/aip/messages';
import type { JsonValue } from '@/lib/std/json';
import { parseRequestScript, type RequestScript, type ScriptCommand } from './request-script';

/*
 * One task of the built-in agent:
 *
 *   received ──begin──> commanding(step 0) ──answer──> commanding(step 1) ──answer──> … ──> ended completed
 *       │                       │                              │
 *       └── not understood ─────┴── a command failed ──────────┴────────────────────────> ended failed
 */

/** What came of one round: the payload of its command, or a list of payloads when it had several. */
export type RoundReport = { readonly request: string; readonly result: JsonValue };

export type DeviceSession =
  | { readonly phase: 'received'; readonly request: string }
  | {
      readonly phase: 'commanding';
      /** Index of the round that the device is working on. */
      readonly step: number;
      readonly script: RequestScript;
      readonly reports: readonly RoundReport[];
    }
  | {
      readonly phase: 'ended';
      readonly status: 'completed' | 'failed';
      readonly reports: readonly RoundReport[];
      readonly error?: string;
    };

export type Received = Extract<DeviceSession, { phase: 'received' }>;
export type Commanding = Extract<DeviceSession, { phase: 'commanding' }>;
export type Ended = Extract<DeviceSession, { phase: 'ended' }>;

/**
 * Tools that only look, by the built-in names; the wire tells them from those that act. `list_tools` acts there: a stock
 * device that has no tools to look with never answers it otherwise.
 */
const LOOKING_TOOLS: ReadonlySet<string> = new Set(['get_system_info', 'list_directory', 'read_file']);

const NO_ANSWER: CommandResult = { status: 'failure', error: 'The device gave no result for this command' };

export function receiveTask(request: string): Received {
  return { phase: 'received', request };
}

/** Reads the request; what cannot be read as a whole is not begun. */
export function beginTask({ request }: Received): Commanding | Ended {
  const script = parseRequestScript(request);
  if (!script.ok) return { phase: 'ended', status: 'failed', reports: [], error: script.error };
  return { phase: 'commanding', step: 0, script: script.value, reports: [] };
}

/** The commands of the round that is due. */
export function commandsDue({ script, step }: Commanding): readonly ScriptCommand[] {
  return script[step]?.commands ?? [];
}

/** Takes the results of the round that was due: on to the next one, or to the end at the first command that failed. */
export function answerRound(session: Commanding, results: readonly CommandResult[]): Commanding | Ended {
  const round = session.script[session.step];
  if (!round) return { phase: 'ended', status: 'completed', reports: session.reports };
  const answers = round.commands.map((_command, index) => results[index] ?? NO_ANSWER);
  const payloads = answers.map(toPayload);
  const [first = null] = payloads;
  const reports = [...session.reports, { request: round.request, result: payloads.length === 1 ? first : payloads }];
  // A command is skipped because of a failure; should that one be missing, the skipped one still is no success.
  const failed =
    answers.find((answer) => answer.status === 'failure') ?? answers.find((answer) => answer.status === 'skipped');
  if (failed) return { phase: 'ended', status: 'failed', reports, error: errorOf(failed) };
  const step = session.step + 1;
  if (step >= session.script.length) return { phase: 'ended', status: 'completed', reports };
  return { ...session, step, reports };
}

/** Outcomes are told by status, never by the payload's truth value: `false`, `0` and `""` are results. */
function toPayload(answer: CommandResult): JsonValue {
  if (answer.status === 'failure') return { error: errorOf(answer) };
  if (answer.status === 'skipped') return { skipped: errorOf(answer) };
  return answer.result ?? null;
}

function errorOf(answer: CommandResult): string {
  const { error } = answer;
  return error === undefined || error === '' ? `The command ended as ${answer.status} without a reason` : error;
}

export function toolTypeOf(toolName: string): ToolType {
  return LOOKING_TOOLS.has(toolName) ? 'data_collection' : 'action';
}
