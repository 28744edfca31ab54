import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import type { ToolDescription } from '@/lib/device/tool-catalogue';
import { jsonObjectSchema } from '@/lib/std/json';

const PAGES_MAX = 100;

const toolSchema = z
  .object({
    name: z.string().min(1),
    title: z.string().optional(),
    description: z.string().optional(),
    inputSchema: jsonObjectSchema,
    outputSchema: jsonObjectSchema.optional(),
    annotations: jsonObjectSchema.optional(),
    _meta: jsonObjectSchema.optional(),
  })
  .transform(({ _meta: meta, ...tool }): ToolDescription => ({ ...tool, meta }));

/** All pages of a server's list. */
export async function readTools(client: Client, timeoutMs: number): Promise<readonly ToolDescription[]> {
  const tools: ToolDescription[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: timeoutMs });
    tools.push(...answer.tools.map((tool) => toolSchema.parse(tool)));
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
