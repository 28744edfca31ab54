import { appendFileSync, closeSync, fsyncSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLEET_STREAM } from '@/lib/relay-protocol/streams';
import { deviceIdSchema } from '@/lib/std/ids';
import { openSqliteEngine } from '@/relay/engine/sqlite-engine';
import { createNodeClock } from '@/relay/net/node-clock';
import { createNodeRandom } from '@/relay/net/node-random';
import { perSecond } from './per-second.mjs';

const BATCH_EVENTS = 50;

/** Appends against the least that durability can cost here: the same bytes at the end of a file, flushed to disk. */
export async function bench() {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-bench-'));
  const engine = openSqliteEngine({ folder, clock: createNodeClock(), random: createNodeRandom() });
  const file = openSync(join(folder, 'plain'), 'a');
  const event = {
    type: 'device-info-failed',
    atMs: 1_760_000_000_000,
    deviceId: deviceIdSchema.parse('linux-1'),
    reason: 'The device did not answer within 12 s',
  } as const;
  const append = (events: number) =>
    engine.append({ events: Array.from({ length: events }, () => ({ stream: FLEET_STREAM, event })), kv: [] });
  const appendPlain = (events: number) => {
    appendFileSync(file, `${JSON.stringify(event)}\n`.repeat(events));
    fsyncSync(file);
  };

  try {
    return [
      {
        name: 'Journal: one event per commit',
        unit: 'events/s',
        value: perSecond(() => append(1)),
        baseline: perSecond(() => appendPlain(1)),
        baselineName: 'a flushed file',
      },
      {
        name: `Journal: ${BATCH_EVENTS} events per commit`,
        unit: 'events/s',
        value: BATCH_EVENTS * perSecond(() => append(BATCH_EVENTS)),
        baseline: BATCH_EVENTS * perSecond(() => appendPlain(BATCH_EVENTS)),
        baselineName: 'a flushed file',
      },
    ];
  } finally {
    engine.close();
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}
