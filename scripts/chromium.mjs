// `node scripts/chromium.mjs` prints the path of a Chromium for the tests and installs one only when there is none.
import './node-version.mjs';

import('./plain-error.mjs').then(({ runScript, say }) =>
  runScript(async () => {
    const { findOrInstallChromium } = await import('./find-chromium.mjs');
    say(await findOrInstallChromium());
    return 0;
  }),
);
