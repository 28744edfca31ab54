import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pathOf } from './upgrade-guard';

export const STATIC_PREFIX = '/_next/static/';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const COMPRESSIBLE = new Set(['.css', '.js', '.json', '.map', '.svg', '.txt']);
/** All files of a build fit; it is a bound for a folder that is not one. */
const FILES_MAX = 2_000;

type StaticFile = { readonly bytes: Buffer; readonly gzipped: Buffer | undefined; readonly mediaType: string };

/**
 * The built scripts and styles. Their names change with their content, so they are read once and cached for ever, here
 * and in the browser.
 *
 * @returns false when there is no such file; somebody else may have it
 */
export type StaticFiles = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

export function createStaticFiles(folder: string): StaticFiles {
  const root = resolve(folder);
  const files = new Map<string, StaticFile>();

  async function find(path: string): Promise<StaticFile | undefined> {
    const known = files.get(path);
    if (known !== undefined) return known;
    const file = await load(root, path);
    if (file !== undefined && files.size < FILES_MAX) files.set(path, file);
    return file;
  }

  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const file = await find(pathOf(request).slice(STATIC_PREFIX.length));
    if (file === undefined) return false;
    const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const body = takesGzip && file.gzipped !== undefined ? file.gzipped : file.bytes;
    response.writeHead(200, {
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': body.byteLength,
      'content-type': file.mediaType,
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      ...(body === file.gzipped ? { 'content-encoding': 'gzip' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  };
}

async function load(root: string, path: string): Promise<StaticFile | undefined> {
  const decoded = decode(path);
  if (decoded === undefined) return undefined;
  const file = join(root, decoded);
  const extension = extname(file);
  const mediaType = MEDIA_TYPES[extension];
  if (mediaType === undefined || !file.startsWith(root + sep)) return undefined;
  try {
    const bytes = await readFile(file);
    const gzipped = COMPRESSIBLE.has(extension) ? await promisify(gzip)(bytes) : undefined;
    return { bytes, gzipped, mediaType };
  } catch {
    // Missing or unreadable: for the browser it is not there, and the page server has the next word.
    return undefined;
  }
}

function decode(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    // Not an encoded path, so not one of ours.
    return undefined;
  }
}
