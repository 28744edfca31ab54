import { readConstellationText } from '@/lib/constellation/codec';
import type { ImportContext } from '@/lib/constellation/import-context';
import type { ImportProblem } from '@/lib/constellation/import-report';
import type { Fleet } from '@/lib/fleet/device';
import { createRun } from '@/lib/run/decide-run';
import { evolveRunAll } from '@/lib/run/evolve';
import type { Run } from '@/lib/run/run';
import { runIdSchema } from '@/lib/std/ids';
import { permitFor } from './run-permits';

/** What a text would become if it were sent now. */
export type ConstellationCheck =
  | { readonly kind: 'problems'; readonly problems: readonly Pick<ImportProblem, 'path' | 'message'>[] }
  | {
      readonly kind: 'valid';
      /** The draft that would be made, with its warnings; for a preview only. */
      readonly run: Run;
      /** Why it could not be launched at once; null when it could. */
      readonly launchObstacle: string | null;
    };

/** Stands in for the id that the relay will give. */
const PREVIEW_RUN_ID = runIdSchema.parse('0'.repeat(32));

/** Reads a text with the functions that the relay will read it with, so that the answer before sending is the answer after. */
export function checkConstellation(text: string, fleet: Fleet, context: ImportContext): ConstellationCheck {
  const reading = readConstellationText(text, context);
  if (!reading.ok) return { kind: 'problems', problems: reading.error };
  const { document, outcomes, warnings } = reading.value;
  const created = createRun(
    { type: 'run-create', runId: PREVIEW_RUN_ID, document, outcomes, warnings, launch: 'draft' },
    { nowMs: context.nowMs, actor: '', fleet, sessionHex: () => '0' },
  );
  if (!created.ok) return { kind: 'problems', problems: [{ path: '', message: created.error.message }] };
  const run = evolveRunAll(undefined, created.value);
  const launch = permitFor(run, fleet, { type: 'run-launch', runId: PREVIEW_RUN_ID });
  return { kind: 'valid', run, launchObstacle: launch.isAllowed ? null : launch.reason };
}
