import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createNotesServer } from './notes-server';

await createNotesServer().connect(new StdioServerTransport());
