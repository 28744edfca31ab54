import { parseServerMessage } from '@/lib/aip/messages';
import { serialiseMessage } from '@/lib/aip/messages/serialise';
import { buildTaskEnd } from '@/lib/aip/messages/server-builders';
import { perSecond } from './per-second.mjs';

/** What most traffic of a busy fleet is: a task's end with a result of a few lines. */
export async function bench() {
  const message = buildTaskEnd(
    {
      status: 'completed',
      sessionId: 'run.task.1.0123456789abcdef',
      responseId: 'b6f0a3de-0d7e-4a39-9a50-0a4f9a1f2c11',
      result: [{ request: '$ df -h', result: 'Filesystem  Size  Used Avail Use% Mounted on\n'.repeat(4) }],
    },
    0,
  );
  const written = serialiseMessage(message);
  if (!written.ok) throw new Error(`The sample cannot be written: ${written.error}`);
  const text = written.value;

  return [
    {
      name: 'AIP server message: parse and check',
      unit: 'messages/s',
      value: perSecond(() => parseServerMessage(text)),
      baseline: perSecond(() => JSON.parse(text)),
      baselineName: 'JSON.parse alone',
    },
    {
      name: 'AIP server message: write',
      unit: 'messages/s',
      value: perSecond(() => serialiseMessage(message)),
      baseline: perSecond(() => JSON.stringify(message)),
      baselineName: 'JSON.stringify alone',
    },
  ];
}
