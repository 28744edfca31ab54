import type { CommandResult, ToolType } from '@/lib/aip/messages';
import type { Cancellation } from '@/lib/aip/transport/cancellation';
import type { JsonObject, JsonValue } from '@/lib/std/json';

export type TaskCommand = {
  readonly toolName: string;
  readonly parameters: JsonObject;
  readonly toolType: ToolType;
};

/** One task on one device, as the agent sees it. */
export type TaskSession = {
  readonly sessionId: string;
  readonly taskName: string;
  readonly request: string;
  readonly device: { readonly id: string; readonly platform: string };
  /**
   * One round: the device runs the commands in order and answers each. Never rejects: what went wrong on the way is a
   * failure result, one per command. One round at a time.
   */
  execute(commands: readonly TaskCommand[]): Promise<readonly CommandResult[]>;
  /** Once cancelled, nobody waits for the outcome any more. */
  readonly cancellation: Cancellation;
};

export type TaskOutcome = {
  readonly status: 'completed' | 'failed';
  /** By custom a list of `{request, result}`, one per round. */
  readonly result: JsonValue;
  readonly error?: string;
};

/** Turns a request into commands. A rejection ends the task failed, with the error's message. */
export type TaskAgent = {
  run(session: TaskSession): Promise<TaskOutcome>;
};
