import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const EXHAUSTED = fileURLToPath(new URL('../testing/exhausted-process.ts', import.meta.url));

test.skipIf(process.platform === 'win32')(
  'a device that can open no more files fails a command and lives on',
  { timeout: 30_000 },
  async () => {
    const limited = ['-c', 'ulimit -n 200; exec "$0" --import tsx "$1"', process.execPath, EXHAUSTED];
    const { stdout } = await promisify(execFile)('sh', limited);
    expect(stdout).toContain('outcome EMFILE');
  },
);
