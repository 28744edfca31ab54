// Pages with hot reload in front, the relay from its sources behind. Neither is built.
import './node-version.mjs';

import('./plain-error.mjs').then(({ runScript }) =>
  runScript(async () => {
    const { ensureDependencies } = await import('./ensure.mjs');
    await ensureDependencies();
    const { startDevelopment } = await import('./start-development.mjs');
    return await startDevelopment();
  }),
);
