// `node scripts/run.mjs <program> …` runs one bundled program with the rest of the arguments.
import './node-version.mjs';

import('./plain-error.mjs').then(({ runScript, PlainError }) =>
  runScript(async () => {
    const { join } = await import('node:path');
    const { pathToFileURL } = await import('node:url');
    const { ensureBuild, ensureDependencies, PROGRAMS } = await import('./ensure.mjs');
    const { ROOT } = await import('./root.mjs');
    const { watchParent } = await import('./watch-parent.mjs');
    const [name, ...args] = process.argv.slice(2);
    if (name === undefined || !(name in PROGRAMS)) {
      throw new PlainError(`Name the program to run: one of ${Object.keys(PROGRAMS).join(', ')}.`);
    }
    await ensureDependencies();
    await ensureBuild(['programs']);
    const file = join(ROOT, 'dist', `${name}.mjs`);
    process.argv = [process.execPath, file, ...args];
    watchParent(() => {
      if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(0);
    });
    // In this very process, so that signals and the exit code need no passing on.
    await import(pathToFileURL(file).href);
    return Number(process.exitCode ?? 0);
  }),
);
