import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readConstellationText } from '@/lib/constellation/codec';
import { fromDocument } from '@/lib/constellation/constellation';
import { layoutConstellation } from '@/lib/constellation/layout';
import { anImportContext } from '@/lib/constellation/testing/import-context';
import { writeConstellation } from '@/lib/constellation/write-constellation';
import { beginTask, receiveTask } from '@/lib/device/session-machine';

const FOLDER = fileURLToPath(new URL('../examples', import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

/** What the importer has to say about an example; nothing about the others. */
const WARNINGS: Readonly<Record<string, readonly string[]>> = {
  'backup_restore_drill.json': [
    'dependencies.line-2.condition_description',
    'dependencies.line-3.condition_description',
  ],
  'quarterly_pack.json': ['dependencies.line-5.condition_description'],
  'trip_running_snapshot.json': ['tasks.hotel.status'],
};

test('there are ten examples', () => {
  expect(FILES).toHaveLength(10);
});

test('one example asks only for what the device of every start can do', () => {
  const read = readConstellationText(readFileSync(join(FOLDER, 'a_first_run.json'), 'utf8'), anImportContext());
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  for (const { targetDeviceId, description } of read.value.document.tasks) {
    expect(targetDeviceId).toBe('local');
    expect(beginTask(receiveTask(description)).phase).toBe('commanding');
  }
});

test.each(FILES)('the example %s can be imported, drawn and exported', (name) => {
  const read = readConstellationText(readFileSync(join(FOLDER, name), 'utf8'), anImportContext());
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  expect(read.value.warnings.map(({ path }) => path)).toEqual(WARNINGS[name] ?? []);
  expect(layoutConstellation(fromDocument(read.value.document)).positions.size).toBe(read.value.document.tasks.length);
  const again = readConstellationText(JSON.stringify(writeConstellation(read.value)), anImportContext());
  expect(again.ok && again.value.document).toEqual(read.value.document);
  expect(again.ok && again.value.outcomes).toEqual(read.value.outcomes);
});
