// Runs every `*.bench.ts` and `*.bench.mjs` of the project and prints one table. A bench exports `bench()`, which gives rows.
// Numbers of one machine say little, so a row gives its ratio to a baseline that was measured in the same run.
import './node-version.mjs';

import('./plain-error.mjs').then(({ runScript }) =>
  runScript(async () => {
    const { ensureDependencies } = await import('./ensure.mjs');
    await ensureDependencies();
    const { runBenches } = await import('./run-benches.mjs');
    return await runBenches(process.argv[2] ?? '');
  }),
);
