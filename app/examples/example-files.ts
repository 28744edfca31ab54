import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The project's own constellations; read from the folder it was started in, as `npm start` does. */
const FOLDER = join(process.cwd(), 'examples');
const FILE = /^[A-Za-z0-9][A-Za-z0-9_-]*\.json$/;

/** Names without the extension, sorted; none when the folder is not there. */
export async function listExamples(): Promise<readonly string[]> {
  const files = await readdir(FOLDER).catch(() => []);
  return files
    .filter((file) => FILE.test(file))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/** @returns undefined for a name that is no example; names are checked, so nothing outside of the folder is ever read */
export async function readExample(name: string): Promise<string | undefined> {
  if (!FILE.test(`${name}.json`)) return undefined;
  return readFile(join(FOLDER, `${name}.json`), 'utf8').catch(() => undefined);
}
