import type { TaskAgent, TaskSession } from '@/lib/aip/endpoints/task-agent';
import type { JsonValue } from '@/lib/std/json';

/** An agent without a model: the request is the name of what it does, as in the recorded dialogues. */
export const standInAgent: TaskAgent = {
  async run(session) {
    switch (session.request) {
      case 'one-round':
        return { status: 'completed', result: await rounds(session, 1) };
      case 'two-rounds':
        return { status: 'completed', result: await rounds(session, 2) };
      case 'raise':
        throw new Error('agent exploded');
      case 'error-state':
        return { status: 'failed', result: { failure: 'session ended with an error' } };
      case 'unknown-state':
        return { status: 'failed', result: [], error: 'Session ended in unknown state' };
      default:
        return { status: 'completed', result: [] };
    }
  },
};

async function rounds(session: TaskSession, count: number): Promise<JsonValue> {
  const done: JsonValue[] = [];
  for (let step = 0; step < count; step += 1) {
    const results = await session.execute([{ toolName: `tool_${step}`, parameters: { step }, toolType: 'action' }]);
    done.push({ request: session.request, result: results.map(({ status }) => status) });
  }
  return done;
}
