// Everything, from a fresh clone on: set-up, checks, unit and wire tests, the built product in a browser. The last line counts.
import './node-version.mjs';

import('./plain-error.mjs').then(({ runScript }) =>
  runScript(async () => {
    const { testAll } = await import('./test-all.mjs');
    return await testAll();
  }),
);
