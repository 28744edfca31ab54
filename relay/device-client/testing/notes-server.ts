import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

/** A server of somebody else, with a tool of its own and one whose name the device has already. */
export function createNotesServer(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1' }, { capabilities: { logging: {} } });
  server.registerTool('add_note', { inputSchema: { text: z.string().max(20) } }, ({ text }) => ({
    content: [{ type: 'text', text: `noted ${text}` }],
  }));
  server.registerTool('read_file', { inputSchema: {} }, () => ({ content: [{ type: 'text', text: 'a note' }] }));
  server.registerTool('two_parts', {}, () => ({
    content: [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
  }));
  server.registerTool('give_zero', { outputSchema: { count: z.number() } }, () => ({
    content: [],
    structuredContent: { count: 0 },
  }));
  server.registerTool('fail', {}, () => ({ isError: true, content: [{ type: 'text', text: 'it broke' }] }));
  server.registerTool('tell', {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken ?? 'none';
    await sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress: 1, message: 'a\nb' },
    });
    await sendNotification({ method: 'notifications/progress', params: { progressToken: 'strange', progress: 1 } });
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'logged' } });
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data: { n: 1 } } });
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 2, message: 'c' } });
    return { content: [{ type: 'text', text: 'told' }] };
  });
  server.registerTool('grow', {}, () => {
    server.registerTool('grown', {}, () => ({ content: [] }));
    return { content: [] };
  });
  server.registerTool('give_much', { inputSchema: { characters: z.number() } }, ({ characters }) => ({
    content: [{ type: 'text', text: 'x'.repeat(characters) }],
  }));
  server.registerTool('hang', {}, () => new Promise<never>(() => {}));
  server.registerTool('leave', {}, () => process.exit(3));
  server.registerTool('show_environment', {}, () => ({
    // biome-ignore lint/style/noProcessEnv: what a child of the device client inherits is what is tested
    content: [{ type: 'text', text: Object.keys(process.env).sort().join(' ') }],
  }));
  return server;
}
