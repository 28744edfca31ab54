import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { ReconnectionPolicy } from '@/lib/aip/resilience/reconnection-settings';
import { inputTextOf, type VectorCase, vectorCases, withoutNullsDeep } from '@/lib/aip/testing/vectors';
import type { TransportState } from '@/lib/aip/transport/transport';
import {
  appWindowControlInfoSchema,
  binaryMetadataSchema,
  chunkMetadataSchema,
  clientMessageSchema,
  clientMessageTypeSchema,
  clientTypeSchema,
  commandSchema,
  controlInfoSchema,
  fileTransferCompleteSchema,
  fileTransferStartSchema,
  mcpToolInfoSchema,
  messageValidator,
  type Parsed,
  parseClientMessage,
  parseCommand,
  parseModel,
  parseResult,
  parseServerMessage,
  rectSchema,
  resultSchema,
  resultStatusSchema,
  type SerialiseError,
  serialiseCommand,
  serialiseFrame,
  serialiseMessage,
  serialiseResult,
  serverMessageSchema,
  serverMessageTypeSchema,
  taskStatusSchema,
  toolTypeSchema,
  windowInfoSchema,
} from './index';

type Model = {
  readonly schema: z.ZodType<object>;
  readonly parse: (text: string) => Parsed<object>;
  readonly write: (value: object) => { ok: true; value: string } | { ok: false; error: SerialiseError };
};

/** A model that stands inside payloads: read and written as whoever needs it does. */
function insideModel(schema: z.ZodType<object>): Model {
  return { schema, parse: (text) => parseModel(schema, text), write: (value) => serialiseFrame({ ...value }) };
}

const MODELS: Record<string, Model> = {
  ClientMessage: {
    schema: clientMessageSchema,
    parse: parseClientMessage,
    write: (value) => serialiseMessage(clientMessageSchema.parse(value)),
  },
  ServerMessage: {
    schema: serverMessageSchema,
    parse: parseServerMessage,
    write: (value) => serialiseMessage(serverMessageSchema.parse(value)),
  },
  Command: {
    schema: commandSchema,
    parse: parseCommand,
    write: (value) => serialiseCommand(commandSchema.parse(value)),
  },
  Result: { schema: resultSchema, parse: parseResult, write: (value) => serialiseResult(resultSchema.parse(value)) },
  Rect: insideModel(rectSchema),
  ControlInfo: insideModel(controlInfoSchema),
  WindowInfo: insideModel(windowInfoSchema),
  AppWindowControlInfo: insideModel(appWindowControlInfoSchema),
  MCPToolInfo: insideModel(mcpToolInfoSchema),
  BinaryMetadata: insideModel(binaryMetadataSchema),
  FileTransferStart: insideModel(fileTransferStartSchema),
  FileTransferComplete: insideModel(fileTransferCompleteSchema),
  ChunkMetadata: insideModel(chunkMetadataSchema),
};

/** Models whose text is recorded as our writer writes it: with every member, absent ones as `null`. */
const WRITTEN_WHOLE = new Set(['ClientMessage', 'ServerMessage', 'Command', 'Result']);

/** What our text says otherwise, by case. The value is the same or the nearest that JavaScript has. */
const WRITTEN_OTHERWISE: Record<string, string> = {
  'surprising:float-keeps-dot-zero': 'its -0.0 written as 0',
};

function modelOf(vector: VectorCase): Model {
  const model = MODELS[String(vector.model)];
  if (!model) throw new Error(`No model is called ${vector.model}`);
  return model;
}

const FILES = await Promise.all(
  ['client_message', 'server_message', 'command_result', 'json_text', 'ui_and_tool_models', 'binary_models'].map(
    async (file) => ({ file, cases: titled(await vectorCases(file)) }),
  ),
);

function titled(cases: readonly VectorCase[]) {
  return cases.map((vector) => {
    const deviation = WRITTEN_OTHERWISE[vector.name];
    const verdict = vector.accept ? 'is accepted' : 'is refused';
    return [vector.name, deviation === undefined ? verdict : `${verdict} (${deviation})`, vector] as const;
  });
}

describe.each(FILES)('recorded in $file', ({ cases }) => {
  test.each(cases)('[AIP-1][AIP-2][AIP-10][AIP-18] %s %s', (name, _verdict, vector) => {
    const { schema, parse, write } = modelOf(vector);
    const text = inputTextOf(vector);
    if (text === undefined) {
      // Bytes that are no UTF-8 are refused by the socket, before any parser sees text.
      expect(vector.accept).toBe(false);
      return;
    }
    const parsed = parse(text);

    expect(parsed.ok).toBe(vector.accept);
    expect(parseModel(schema, text)).toStrictEqual(parsed);
    if (!parsed.ok) {
      if (parsed.error.code !== 'wrong-shape') return;
      const paths = parsed.error.problems.map(({ path }) => path.replace(/\[(\d+)\]/g, '.$1'));
      for (const { loc } of vector.errors ?? []) expect(paths).toContain(loc.join('.'));
      return;
    }
    if (vector.output !== undefined) expect(withoutNullsDeep(parsed.value)).toEqual(withoutNullsDeep(vector.output));
    const written = textOf(write(parsed.value));
    expect(withPlainZero(parse(written))).toEqual(withPlainZero(parsed));
    if (vector.output_text === undefined || !WRITTEN_WHOLE.has(String(vector.model))) return;
    if (WRITTEN_OTHERWISE[name] === undefined) expect(written).toBe(withoutPointZero(vector.output_text));
    else expect(written).not.toBe(withoutPointZero(vector.output_text));
  });
});

function textOf(written: ReturnType<Model['write']>): string {
  if (!written.ok) throw new Error(written.error.message);
  return written.value;
}

/** JavaScript writes `-0` as `0`; the two are the same number. */
function withPlainZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** JavaScript writes `1.0` as `1`, which every reader takes for the same number. */
function withoutPointZero(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\b(\d+)\.0\b/g, '$1$2');
}

const coercions = (await vectorCases('coercions')).map((vector) => {
  const isRounded = vector.value_out_text !== undefined;
  const verdict = vector.accept ? 'is accepted' : 'is refused';
  return [vector.name, isRounded ? `${verdict} (as the nearest double)` : verdict, vector] as const;
});

describe('recorded in coercions', () => {
  test.each(coercions)('[AIP-7][AIP-8] %s %s', (_name, _verdict, vector) => {
    const parsed = modelOf(vector).parse(String(vector.input));

    expect(parsed.ok).toBe(vector.accept);
    if (!parsed.ok) return;
    const member: unknown = Reflect.get(parsed.value, String(vector.field));
    const expected = vector.value_out_text === undefined ? vector.value_out : Number(vector.value_out_text);
    expect(withoutNullsDeep(member ?? null)).toEqual(withoutNullsDeep(expected));
  });
});

/** What is told from outside only by its type: each word must be there, and no other may be. */
const TRANSPORT_STATES: Record<TransportState, true> = {
  disconnected: true,
  connecting: true,
  connected: true,
  disconnecting: true,
  error: true,
};
const RECONNECTION_POLICIES: Record<ReconnectionPolicy, true> = {
  exponential_backoff: true,
  linear_backoff: true,
  immediate: true,
  none: true,
};

const ENUMS: Record<string, (word: unknown) => boolean> = {
  ClientMessageType: (word) => clientMessageTypeSchema.safeParse(word).success,
  ServerMessageType: (word) => serverMessageTypeSchema.safeParse(word).success,
  TaskStatus: (word) => taskStatusSchema.safeParse(word).success,
  ClientType: (word) => clientTypeSchema.safeParse(word).success,
  ResultStatus: (word) => resultStatusSchema.safeParse(word).success,
  ToolType: (word) => toolTypeSchema.safeParse(word).success,
  TransportState: (word) => Object.hasOwn(TRANSPORT_STATES, String(word)),
  ReconnectionPolicy: (word) => Object.hasOwn(RECONNECTION_POLICIES, String(word)),
};

const enumCases = (await vectorCases('enums')).map((vector) => [vector.name, vector] as const);

describe('recorded in enums', () => {
  test.each(enumCases)('[AIP-3] %s', (_name, vector) => {
    const isWord = ENUMS[String(vector.enum)];

    expect(isWord?.(vector.input)).toBe(vector.accept);
    if (vector.accept) expect(vector.output).toBe(vector.input);
  });
});

const VALIDATORS: Record<string, (text: string) => boolean> = {
  validate_registration: (text) => messageValidator.validateRegistration(acceptedValue(parseClientMessage(text))),
  validate_task_request: (text) => messageValidator.validateTaskRequest(acceptedValue(parseClientMessage(text))),
  validate_command_results: (text) => messageValidator.validateCommandResults(acceptedValue(parseClientMessage(text))),
  validate_server_message: (text) => messageValidator.validateServerMessage(acceptedValue(parseServerMessage(text))),
  validate_command: (text) => messageValidator.validateCommand(commandSchema.parse(JSON.parse(text))),
  validate_commands: (text) => messageValidator.validateCommands(commandSchema.array().parse(JSON.parse(text))),
  validate_result: (text) => resultSchema.safeParse(JSON.parse(text)).success,
  validate_results: (text) => resultSchema.array().safeParse(JSON.parse(text)).success,
};

function acceptedValue<Value>(parsed: Parsed<Value>): Value {
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

const validatorCases = (await vectorCases('validators')).map((vector) => [vector.name, vector] as const);

describe('recorded in validators', () => {
  test.each(validatorCases)('[AIP-17] %s', (_name, vector) => {
    const validate = VALIDATORS[String(vector.validator)];

    expect(validate?.(JSON.stringify(vector.input))).toBe(vector.output);
  });
});
