// What takes seconds and needs no build: run it before each commit.
import './node-version.mjs';

import('./plain-error.mjs').then(({ runScript }) =>
  runScript(async () => {
    const { ensureDependencies } = await import('./ensure.mjs');
    await ensureDependencies();
    const { checkStages, routeTypesStage, runStage } = await import('./stages.mjs');
    const { commandFile } = await import('./root.mjs');
    const unitTests = { name: 'unit and wire tests', file: commandFile('vitest'), args: ['run', '--reporter=dot'] };
    let isGood = true;
    for (const stage of [routeTypesStage(), ...checkStages(), unitTests]) {
      isGood = (await runStage(stage)) && isGood;
    }
    return isGood ? 0 : 1;
  }),
);
