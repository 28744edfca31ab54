import { z } from 'zod';
import { parseJson } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';

const stdioSchema = z.looseObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
  disabled: z.boolean().default(false),
});

const httpSchema = z.looseObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  disabled: z.boolean().default(false),
});

const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), z.looseObject({})) });

export type ToolServerConfig = { readonly name: string } & (
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly folder: string | undefined;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

/**
 * Reads the `mcpServers` JSON that other clients of the protocol use. Members that only those know are ignored, servers
 * that are `disabled` are left out, and a name becomes one that can stand before a dot.
 *
 * @returns the servers, or all problems with their places
 */
export function parseMcpConfig(text: string): Result<readonly ToolServerConfig[], readonly string[]> {
  const json = parseJson(text.replace(/^\uFEFF/, ''), { depthMax: 32, protoKey: 'refuse' });
  if (!json.ok) return err([json.error.message]);
  const file = fileSchema.safeParse(json.value);
  if (!file.success) return err(['expected {"mcpServers": {"name": {"command": …} or {"url": …}}}']);
  const problems: string[] = [];
  const servers: ToolServerConfig[] = [];
  for (const [name, entry] of Object.entries(file.data.mcpServers)) {
    const parsed = parseServer(entry);
    if (!parsed.ok) problems.push(...parsed.error.map((problem) => `mcpServers.${name}: ${problem}`));
    else if (parsed.value) servers.push({ name: freeName(name, servers), ...parsed.value });
  }
  return problems.length > 0 ? err(problems) : ok(servers);
}

type Unnamed<Config> = Config extends unknown ? Omit<Config, 'name'> : never;

function parseServer(entry: Record<string, unknown>): Result<Unnamed<ToolServerConfig> | undefined, readonly string[]> {
  if ('url' in entry) {
    const parsed = httpSchema.safeParse(entry);
    if (!parsed.success) return err(problemsOf(parsed.error));
    const { url, headers, disabled } = parsed.data;
    if (entry.type === 'sse' || entry.transport === 'sse') {
      return err(['the transport "sse" is not spoken here; use the streamable HTTP address of the server']);
    }
    return ok(disabled ? undefined : { kind: 'http', url, headers });
  }
  const parsed = stdioSchema.safeParse(entry);
  if (!parsed.success) return err(problemsOf(parsed.error));
  const { command, args, env, cwd, disabled } = parsed.data;
  return ok(disabled ? undefined : { kind: 'stdio', command, args, env, folder: cwd });
}

function problemsOf(error: z.ZodError): readonly string[] {
  return error.issues.map((issue) => `${issue.path.join('.') || 'entry'}: ${issue.message}`);
}

/** The name of the built-in tools; no other server may pass for it. */
export const BUILTIN_SERVER = 'device';

function freeName(name: string, servers: readonly ToolServerConfig[]): string {
  const base = name.replace(/[^A-Za-z0-9_-]/g, '_') || 'server';
  const isTaken = (each: string) => each === BUILTIN_SERVER || servers.some((server) => server.name === each);
  let free = base;
  for (let number = 2; isTaken(free); number += 1) free = `${base}_${number}`;
  return free;
}
