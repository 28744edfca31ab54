import { z } from 'zod';
import { problemSchema } from '@/lib/relay-protocol/http';
import type { JsonValue } from '@/lib/std/json';
import type { ApiRoute } from './api-env';

const OPENAPI_VERSION = '3.1.0';
type Member = { [key: string]: JsonValue };

/** The description of the routes. JSON Schema of zod is what OpenAPI 3.1 wants, so there is no second set of schemas. */
export function describeApi(routes: readonly ApiRoute[], version: string): JsonValue {
  const paths: { [path: string]: Member } = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    path[route.method] = describeRoute(route);
    paths[route.path] = path;
  }
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: 'Orrery relay',
      version,
      description: 'Operates devices and runs. Errors are problem details (RFC 9457) with a stable `code`.',
    },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token in the data folder of the relay.' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'orrery_session' },
      },
      schemas: { Problem: toJsonSchema(problemSchema, 'output') },
    },
  };
}

function describeRoute(route: ApiRoute): Member {
  const answers: Member = {
    default: {
      description: 'What went wrong.',
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  };
  for (const [status, answer] of Object.entries(route.answers)) {
    const mediaType = answer.mediaType ?? 'application/json';
    const content = answer.schema && { [mediaType]: { schema: toJsonSchema(answer.schema, 'output') } };
    answers[status] = { description: answer.about, ...(content === undefined ? {} : { content }) };
  }
  return {
    summary: route.summary,
    operationId: operationId(route),
    ...(route.access === 'open' ? { security: [] } : {}),
    parameters: (route.parameters ?? []).map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      required: parameter.in === 'path',
      description: parameter.about,
      schema: { type: 'string' },
    })),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.body.need === 'required',
            content: { [route.body.mediaType]: { schema: toJsonSchema(route.body.schema, 'input') } },
          },
        }),
    responses: answers,
  };
}

/** `post /v1/runs/{id}/launch` is `postRunsByIdLaunch`. */
function operationId(route: ApiRoute): string {
  const words = route.path
    .replace(/^\/v1/, '')
    .split(/[/-]/)
    .filter((word) => word !== '')
    .map((word) =>
      word.replace(/^\{(.*)\}$/, 'by-$1').replace(/(^|-)([a-z])/g, (_, _dash, letter) => letter.toUpperCase()),
    );
  return `${route.method}${words.join('')}`;
}

/** `toJSONSchema` returns plain JSON by its contract; free payloads (`z.custom`) become the schema that allows all. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonValue {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(rest));
}
