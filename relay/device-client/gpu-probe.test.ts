import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '@/lib/std/logger';
import { createNodeClock } from '@/relay/net/node-clock';
import { createGpuProbe } from './gpu-probe';
import { until } from './testing/programs';
import type { ProcessEnd } from './tools/run-process';

const clock = createNodeClock();
const NO_OUTPUT = { text: '', droppedBytes: 0 };

test.skipIf(process.platform === 'win32')(
  'a driver that hangs beyond any signal is asked no second time meanwhile, and told when it answers again',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'gpu-probe-'));
    const file = path.join(folder, 'nvidia-smi');
    await writeFile(file, '');
    await chmod(file, 0o755);
    const answers: ((end: ProcessEnd) => void)[] = [];
    const timers: (() => void)[] = [];
    const letTimePass = () => {
      for (const run of timers.splice(0)) run();
    };
    const probe = createGpuProbe({
      processes: { run: () => new Promise((resolve) => answers.push(resolve)), killAll: () => {} },
      environment: { NODE_ENV: 'test', PATH: folder },
      clock: {
        ...clock,
        after(_, run) {
          timers.push(run);
          return () => {};
        },
      },
      logger: silentLogger,
    });
    const first = probe.read();
    await until('the driver is asked', () => answers[0]);
    letTimePass();
    expect(await first).toEqual([]);
    const second = probe.read();
    letTimePass();
    expect(await second).toEqual([]);
    const reading = probe.read();
    expect(answers).toHaveLength(1);
    const stdout = { text: '100, 1, 2, A GPU\n', droppedBytes: 0 };
    answers[0]?.({ how: 'exited', exitCode: 0, endSignal: undefined, stdout, stderr: NO_OUTPUT });
    expect(await reading).toMatchObject([{ name: 'A GPU' }]);
    await rm(folder, { recursive: true });
  },
);
