import './node-version.mjs';

import('./plain-error.mjs').then(({ runScript, say }) =>
  runScript(async () => {
    const { ensureBuild, ensureDependencies } = await import('./ensure.mjs');
    await ensureDependencies();
    await ensureBuild();
    say('The build is up to date.');
    return 0;
  }),
);
