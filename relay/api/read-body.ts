import type { z } from 'zod';
import { scanJson } from '@/lib/constellation/scan-json';
import { FRAME_DEPTH_MAX } from '@/lib/relay-protocol/timing';
import { describeIssue } from '@/lib/std/describe-issue';
import { type JsonValue, parseJson } from '@/lib/std/json';
import { err, ok, type Result } from '@/lib/std/result';
import type { ApiContext } from './api-env';
import { problemResponse } from './problem';

/** A body, or the answer that says what is wrong with it. */
export type Body<Value> = Result<Value, Response>;

/** Text in UTF-8, counted while it arrives: a body that is too large is not held. */
export async function readText(context: ApiContext, bytesMax: number): Promise<Body<string>> {
  if (Number(context.req.header('content-length') ?? 0) > bytesMax) return err(tooLarge(bytesMax));
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = context.req.raw.body;
  if (stream !== null) {
    for await (const chunk of stream) {
      size += chunk.byteLength;
      if (size > bytesMax) return err(tooLarge(bytesMax));
      chunks.push(chunk);
    }
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    // The decoder says only that the bytes are not UTF-8, which is what the answer says.
    return err(
      problemResponse({ status: 400, code: 'not-utf-8', detail: 'Expected text in UTF-8; save the file as UTF-8.' }),
    );
  }
}

/** JSON of a known shape. An empty body is `{}`, so that optional fields need no body at all. */
export async function readJson<Schema extends z.ZodType>(
  context: ApiContext,
  schema: Schema,
  bytesMax: number,
): Promise<Body<z.output<Schema>>> {
  const wrongType = wrongMediaType(context, isJsonType, 'application/json');
  if (wrongType !== undefined) return err(wrongType);
  const text = await readText(context, bytesMax);
  if (!text.ok) return text;
  const value = text.value.trim() === '' ? ok<JsonValue>({}) : parseBody(text.value);
  if (!value.ok) return value;
  const parsed = schema.safeParse(value.value);
  if (parsed.success) return ok(parsed.data);
  const errors = parsed.error.issues.map((issue) => ({
    path: issue.path.join('.') || '(body)',
    message: describeIssue(issue, value.value),
  }));
  const detail = `The body does not have the expected form: ${errors
    .slice(0, 3)
    .map((error) => `${error.path}: ${error.message}`)
    .join('; ')}`;
  return err(problemResponse({ status: 422, code: 'invalid', detail, errors }));
}

export function isJsonType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json');
}

/** A missing media type is taken as the right one. */
export function wrongMediaType(
  context: ApiContext,
  isRight: (mediaType: string) => boolean,
  expected: string,
): Response | undefined {
  const mediaType = context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType === '' || isRight(mediaType)) return undefined;
  return problemResponse({
    status: 415,
    code: 'unsupported-media-type',
    detail: `Expected a body of type ${expected}, got ${mediaType.slice(0, 100)}; send the header "Content-Type: ${expected}".`,
    headers: { accept: expected },
  });
}

function parseBody(text: string): Body<JsonValue> {
  const value = parseJson(text, { depthMax: FRAME_DEPTH_MAX, protoKey: 'refuse' });
  if (value.ok) return value;
  const isSyntax = value.error.code === 'syntax';
  return err(
    problemResponse({
      status: isSyntax ? 400 : 422,
      code: isSyntax ? 'not-json' : value.error.code,
      detail: isSyntax ? syntaxDetail(text) : value.error.message,
    }),
  );
}

/** Where the text stops being JSON; the engine's own message says so in some versions only. */
function syntaxDetail(text: string): string {
  const { fault } = scanJson(text);
  return fault === null
    ? 'Expected JSON.'
    : `Expected JSON: line ${fault.line}, column ${fault.column}: ${fault.message}`;
}

function tooLarge(bytesMax: number): Response {
  return problemResponse({
    status: 413,
    code: 'too-large',
    detail: `Expected at most ${bytesMax} bytes; send less, or raise ORRERY_MAX_REQUEST_BYTES.`,
    // The rest of the body is not read, so the connection cannot serve another request.
    headers: { connection: 'close' },
  });
}
