import { openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createProcessGroups } from '@/relay/device-client/tools/run-process';

/** A program without any file left that it could open: says how running another program ends then. */
const processes = createProcessGroups();

function openAll(): void {
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch {
    // That there are no more is what was wanted.
  }
}

// Whatever the first use of a stream, or of a process, opens is open by now.
process.stdout.write('filling up\n');
openAll();
const outcome = await processes
  .run({
    file: '/bin/true',
    name: 'true',
    args: [],
    folder: tmpdir(),
    environment: { NODE_ENV: 'test' },
    timeoutMs: 10_000,
    outputBytesMax: 1_000,
    signal: new AbortController().signal,
  })
  .then(
    ({ how }) => how,
    (cause: unknown) => (cause instanceof Error && 'code' in cause ? cause.code : String(cause)),
  );
await new Promise((resolve) => setImmediate(resolve));
process.stdout.write(`outcome ${outcome}\n`);
