import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeProblem } from './node-version.mjs';
import { ROOT, runScript } from './testing/run-script';

test.each(['20.9.0', '20.20.2', '22.0.0', '24.22.3'])('Node %s is new enough', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

test.each(['12.22.12', '18.20.4', '20.8.1'])('Node %s is too old, and the sentence says what to do', (version) => {
  expect(nodeProblem(version)).toContain(`needs Node 20.9 or newer, but this is Node ${version}. Install`);
});

test.each(['start.mjs', 'build.mjs', 'dev.mjs', 'run.mjs', 'test.mjs', 'verify.mjs', 'bench.mjs', 'chromium.mjs'])(
  '%s says one sentence on a too old Node and does nothing else',
  async (script) => {
    const { code, stdout, stderr } = await runScript(script, {
      nodeArgs: ['--require', join(ROOT, 'scripts/testing/old-node.cjs')],
    });

    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Orrery needs Node 20\.9 or newer, but this is Node 18\.20\.4\. [^\n]+\n$/);
  },
);
