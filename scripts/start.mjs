import './node-version.mjs';

// Loaded only after the check: an old Node could not even parse the rest.
import('./plain-error.mjs').then(({ runScript }) =>
  runScript(async () => {
    const { startOrrery } = await import('./start-orrery.mjs');
    return await startOrrery();
  }),
);
