import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { inputTextOf, type VectorCase, vectorCases, withoutNullsDeep } from '@/lib/aip/testing/vectors';
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
  parseClientMessage,
  parseModel,
  parseServerMessage,
  rectSchema,
  resultSchema,
  resultStatusSchema,
  serialiseCommand,
  serialiseMessage,
  serialiseResult,
  serverMessageSchema,
  serverMessageTypeSchema,
  taskStatusSchema,
  toolTypeSchema,
  windowInfoSchema,
} from './index';

const MODELS: Record<string, z.ZodType<object>> = {
  ClientMessage: clientMessageSchema,
  ServerMessage: serverMessageSchema,
  Command: commandSchema,
  Result: resultSchema,
  Rect: rectSchema,
  ControlInfo: controlInfoSchema,
  WindowInfo: windowInfoSchema,
  AppWindowControlInfo: appWindowControlInfoSchema,
  MCPToolInfo: mcpToolInfoSchema,
  BinaryMetadata: binaryMetadataSchema,
  FileTransferStart: fileTransferStartSchema,
  FileTransferComplete: fileTransferCompleteSchema,
  ChunkMetadata: chunkMetadataSchema,
};

function parse(vector: VectorCase) {
  const schema = MODELS[vector.model ?? ''];
  if (!schema) throw new Error(`No schema for ${vector.model}`);
  const text = inputTextOf(vector);
  return text === undefined ? undefined : parseModel(schema, text);
}

/** The stock writer, as far as a JavaScript number allows: `1.0` is written `1`, which any reader takes for the same. */
function writtenText(vector: VectorCase, value: object): string | undefined {
  if (vector.model === 'Command') return read(serialiseCommand(commandSchema.parse(value)));
  if (vector.model === 'Result') return read(serialiseResult(resultSchema.parse(value)));
  if (vector.model === 'ClientMessage') return read(serialiseMessage(clientMessageSchema.parse(value)));
  if (vector.model === 'ServerMessage') return read(serialiseMessage(serverMessageSchema.parse(value)));
  return undefined;
}

function read(text: ReturnType<typeof serialiseMessage>): string {
  if (!text.ok) throw new Error(text.error.message);
  return text.value;
}

const FILES = await casesOf(
  'client_message',
  'server_message',
  'command_result',
  'json_text',
  'ui_and_tool_models',
  'binary_models',
  'coercions',
);

async function casesOf(...files: string[]) {
  return Promise.all(files.map(async (file) => ({ file, cases: named(await vectorCases(file)) })));
}

function named(cases: readonly VectorCase[]) {
  return cases.map((vector) => [vector.name, vector] as const);
}

describe.each(FILES)('vectors of $file', ({ cases }) => {
  test.each(cases)('%s', (_name, vector) => {
    const parsed = parse(vector);

    expect(parsed?.ok ?? false).toBe(vector.accept);
    if (!parsed?.ok) {
      for (const { loc } of vector.errors ?? []) {
        if (parsed?.error.code === 'wrong-shape') expect(pathsOf(parsed.error.problems)).toContain(loc.join('.'));
      }
      return;
    }
    if (vector.output !== undefined) {
      expect(withoutNullsDeep(parsed.value)).toEqual(withoutNullsDeep(vector.output));
    }
    const written = writtenText(vector, parsed.value);
    if (written === undefined) return;
    const again = parse({ ...vector, input: written, input_encoding: null });
    expect(withPlainZero(again)).toEqual(withPlainZero(parsed));
    if (vector.output_text !== undefined && !/\d\.0\b/.test(vector.output_text)) {
      expect(written).toBe(vector.output_text);
    }
  });
});

/** JavaScript writes `-0` as `0`; the two are the same number. */
function withPlainZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function pathsOf(problems: readonly { path: string }[]): string[] {
  return problems.map(({ path }) => path.replace(/\[(\d+)\]/g, '.$1'));
}

const enumCases = named(await vectorCases('enums'));
const validatorCases = named(await vectorCases('validators'));

describe('vectors of enums', () => {
  const ENUMS: Record<string, z.ZodType> = {
    ClientMessageType: clientMessageTypeSchema,
    ServerMessageType: serverMessageTypeSchema,
    TaskStatus: taskStatusSchema,
    ClientType: clientTypeSchema,
    ResultStatus: resultStatusSchema,
    ToolType: toolTypeSchema,
  };

  test.each(enumCases.filter(([, vector]) => ENUMS[String(vector.enum)] !== undefined))('%s', (_name, vector) => {
    const schema = ENUMS[String(vector.enum)];
    expect(schema?.safeParse(vector.input).success).toBe(vector.accept);
  });
});

describe('vectors of validators', () => {
  const VALIDATORS: Record<string, (text: string) => boolean> = {
    validate_registration: (text) => messageValidator.validateRegistration(clientMessage(text)),
    validate_task_request: (text) => messageValidator.validateTaskRequest(clientMessage(text)),
    validate_command_results: (text) => messageValidator.validateCommandResults(clientMessage(text)),
    validate_server_message: (text) => messageValidator.validateServerMessage(serverMessage(text)),
    validate_command: (text) => messageValidator.validateCommand(commandSchema.parse(JSON.parse(text))),
    validate_commands: (text) => messageValidator.validateCommands(commandSchema.array().parse(JSON.parse(text))),
    validate_result: (text) => resultSchema.safeParse(JSON.parse(text)).success,
    validate_results: (text) => resultSchema.array().safeParse(JSON.parse(text)).success,
  };

  test.each(validatorCases)('%s', (_name, vector) => {
    const validate = VALIDATORS[String(vector.validator)];
    expect(validate?.(JSON.stringify(vector.input))).toBe(vector.output);
  });
});

function clientMessage(text: string) {
  const parsed = parseClientMessage(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

function serverMessage(text: string) {
  const parsed = parseServerMessage(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}
