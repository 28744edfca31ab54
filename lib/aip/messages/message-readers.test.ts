import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonObject, type JsonValue, jsonValueSchema } from '@/lib/std/json';
import { clientMessageSchema } from './client-message';
import { readClientMessage, readServerMessage } from './message-readers';
import { MISFIT } from './model-reader';
import { serverMessageSchema } from './server-message';

const RUNS = { seed: 20_260_102, numRuns: 5_000 };

const anyJson: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 3 }).map((value) => jsonValueSchema.parse(value));
/** Mostly what fits, so that most messages have one fault or none. */
const mostly = (fitting: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 40, arbitrary: fitting },
    { weight: 1, arbitrary: anyJson },
    { weight: 3, arbitrary: fc.constant(null) },
  );
const text = fc.string({ maxLength: 8 });
const word = (...words: string[]) => mostly(fc.constantFrom(...words));
const object = fc.dictionary(text, anyJson, { maxKeys: 3 });

/** Some of the members, in front of which a stranger may stand. */
function anyOf(members: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]): fc.Arbitrary<unknown> {
  const stranger = fc.dictionary(fc.string(), anyJson, { maxKeys: 1 });
  const model = fc.record(members, { requiredKeys });
  return fc.tuple(stranger, model).map((parts) => Object.assign({}, ...parts));
}

const status = word('continue', 'completed', 'failed', 'ok', 'error');
const result = anyOf(
  {
    status: word('success', 'failure', 'skipped', 'none'),
    error: mostly(text),
    result: anyJson,
    call_id: mostly(text),
  },
  ['status'],
);
const command = anyOf(
  {
    tool_name: mostly(text),
    tool_type: word('action', 'data_collection'),
    parameters: mostly(object),
    call_id: mostly(text),
  },
  ['tool_name', 'tool_type'],
);
const clientMessage = anyOf(
  {
    type: word('task', 'heartbeat', 'command_results', 'register', 'error'),
    status,
    client_type: word('device', 'constellation'),
    session_id: mostly(text),
    client_id: mostly(text),
    request: mostly(text),
    action_results: mostly(fc.array(result, { maxLength: 3 })),
    prev_response_id: mostly(text),
    metadata: mostly(object),
  },
  ['type', 'status'],
);
const serverMessage = anyOf(
  {
    type: word('task', 'heartbeat', 'command', 'task_end', 'error'),
    status,
    user_request: mostly(text),
    actions: mostly(fc.array(command, { maxLength: 3 })),
    messages: mostly(fc.array(mostly(text), { maxLength: 3 })),
    session_id: mostly(text),
    result: anyJson,
  },
  ['type', 'status'],
);

/** What a socket delivers: a value that went through JSON. */
function received(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

const MODELS = [
  ['a client message', { messages: clientMessage, read: readClientMessage, schema: clientMessageSchema }],
  ['a server message', { messages: serverMessage, read: readServerMessage, schema: serverMessageSchema }],
] as const;

test.each(MODELS)('%s is read by hand as the schema reads it, or not at all', (_name, { messages, read, schema }) => {
  let fitting = 0;
  fc.assert(
    fc.property(messages, (value) => {
      const message = received(value);
      const byHand = read(message);
      const bySchema = schema.safeParse(message);
      expect(byHand === MISFIT).toBe(!bySchema.success);
      if (!bySchema.success) return;
      expect(byHand).toStrictEqual(bySchema.data);
      fitting += 1;
    }),
    RUNS,
  );
  // Neither verdict may go untested.
  expect(fitting / RUNS.numRuns).toBeGreaterThan(0.2);
  expect(fitting / RUNS.numRuns).toBeLessThan(0.9);
});
