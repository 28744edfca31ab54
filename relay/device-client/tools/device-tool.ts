import type { z } from 'zod';
import type { JsonObject } from '@/lib/std/json';
import type { CommandPolicy } from './command-policy';
import type { RootFolder } from './root-folder';
import type { ProcessGroups } from './run-process';

/** What the tools share. */
export type ToolSurroundings = {
  readonly root: RootFolder;
  readonly processes: ProcessGroups;
  readonly policy: CommandPolicy;
  /** Where commands are looked up, in this order. */
  readonly searchPath: readonly string[];
  /** All that a command sees of the environment. */
  readonly environment: NodeJS.ProcessEnv;
  /** What the device says about itself now. */
  readonly systemInfo: () => Promise<JsonObject>;
};

/** Text for people, or an object for programs. */
export type ToolOutput = { readonly text: string } | { readonly structured: JsonObject };

export type ToolCallContext = {
  readonly signal: AbortSignal;
  /** How long the call may take; undefined when nobody but the tool sets a limit. */
  readonly timeoutMs?: number | undefined;
  /** One line of what the call prints while it runs. */
  readonly onOutput: (line: string) => void;
};

type ToolDefinition<Schema extends z.ZodObject> = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  /** Whether it only looks. */
  readonly isReadOnly: boolean;
  /** A ToolError that it throws is told to whoever sent the task. */
  run(input: z.output<Schema>, context: ToolCallContext): Promise<ToolOutput>;
};

/** One built-in tool, its input not yet read. */
export type DeviceTool = Omit<ToolDefinition<z.ZodObject>, 'run'> & {
  call(input: unknown, context: ToolCallContext): Promise<ToolOutput>;
};

export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): DeviceTool {
  const { run, ...described } = definition;
  return { ...described, call: (input, context) => run(definition.input.parse(input), context) };
}
