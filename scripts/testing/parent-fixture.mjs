// Keeps one child and tells its process id; the test ends this parent without warning.
import { fileURLToPath } from 'node:url';
import { createSupervisedChild } from '../supervised-child.mjs';

const child = createSupervisedChild({
  name: 'fixture',
  module: fileURLToPath(new URL('child-fixture.mjs', import.meta.url)),
  argv: () => ['polite'],
  env: process.env,
  log: { write: () => {} },
  onMessage: () => process.stdout.write(`${child.pid()}\n`),
  onEnd: () => {},
});
child.start();
