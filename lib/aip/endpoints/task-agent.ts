import type { CommandResult, ToolType } from '@/lib/aip/messages';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import type { JsonObject, JsonValue } from '@/lib/std/json';

export type TaskCommand = {
  readonly toolName: string;
  readonly parameters: JsonObject;
  readonly toolType: ToolType;
};

/** What came of one round, in the form that results have by custom. */
export type RoundReport = { readonly request: string; readonly result: JsonValue };

/** One task on one device, as the agent sees it. */
export type TaskSession = {
  readonly sessionId: string;
  readonly taskName: string;
  readonly request: string;
  readonly device: { readonly id: string; readonly platform: string };
  /** When the task's time is over, in milliseconds since the epoch; undefined when nobody set a limit. */
  readonly deadlineAtMs: number | undefined;
  /**
   * One round: the device runs the commands in order and answers each. Never rejects: what went wrong on the way is a
   * failure result, one per command. One round at a time.
   */
  execute(commands: readonly TaskCommand[]): Promise<readonly CommandResult[]>;
  /** Tells what a round came to, so that a task which is cut short still says how far it got. */
  report(round: RoundReport): void;
  /** Once cancelled, nobody waits for the outcome any more. */
  readonly cancellation: Cancellation;
};

export type TaskOutcome = {
  readonly status: 'completed' | 'failed';
  /** By custom a list of `{request, result}`, one per round. */
  readonly result: JsonValue;
  readonly error?: string;
};

/** Turns a request into commands. A rejection ends the task failed, with the error's message and the rounds so far. */
export type TaskAgent = {
  run(session: TaskSession): Promise<TaskOutcome>;
};
