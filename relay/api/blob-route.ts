import type { Blobs } from '@/relay/engine/engine';
import type { ApiRoute } from './api-env';
import { problemResponse } from './problem';

/**
 * Large results. What a device sent is never shown by the browser itself: it is a download of a type that nothing
 * executes, whatever it claims to be.
 */
export function blobRoute(blobs: Blobs): ApiRoute {
  return {
    method: 'get',
    path: '/v1/blobs/{handle}',
    summary: 'A result that is too large for an event, as a download',
    access: 'signed-in',
    parameters: [{ name: 'handle', in: 'path', about: 'As the result names it.' }],
    answers: { 200: { about: 'The bytes.', mediaType: 'application/octet-stream' } },
    handle(context) {
      const handle = context.req.param('handle') ?? '';
      const blob = /^[A-Za-z0-9_-]{1,128}$/.test(handle) ? blobs.get(handle) : undefined;
      if (blob === undefined) {
        const detail = 'There is no such result; it may have been removed with its run.';
        return problemResponse({ status: 404, code: 'blob-unknown', detail });
      }
      const isJson = blob.mediaType === 'application/json';
      return new Response(new Uint8Array(blob.bytes), {
        headers: {
          'content-disposition': `attachment; filename="result-${handle.slice(0, 12)}.${isJson ? 'json' : 'bin'}"`,
          'content-type': isJson ? 'application/json' : 'application/octet-stream',
        },
      });
    },
  };
}
