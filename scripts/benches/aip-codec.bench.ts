import {
  buildCommandResults,
  buildTaskEnd,
  type ClientMessage,
  parseClientMessage,
  parseServerMessage,
  type ServerMessage,
  serialiseMessage,
  validateClientMessage,
  validateServerMessage,
} from '@/lib/aip/messages';
import type { JsonValue } from '@/lib/std/json';
import { nanosecondsOf } from './nanoseconds.mjs';

const ID = 'b6f0a3de-0d7e-4a39-9a50-0a4f9a1f2c11';
const LISTING = 'Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        98G   41G   53G  44% /\n';
const MEGABYTE = 1_000_000;

/** What a device answers most: a few commands with a screenful of text, a listing and a failure. */
function typicalResults(): ClientMessage {
  const files = Array.from({ length: 8 }, (_, index) => ({
    name: `report-${index}.csv`,
    type: 'file',
    size_bytes: 4096 + index,
    modified: '2026-01-02T03:04:05Z',
  }));
  return buildCommandResults(
    {
      clientId: 'linux-1',
      requestId: ID,
      status: 'continue',
      sessionId: 'run.task.1.0123456789abcdef',
      prevResponseId: ID,
      results: [
        { status: 'success', result: { exit_code: 0, stdout: LISTING.repeat(5) }, namespace: 'builtin', call_id: ID },
        { status: 'success', result: files, namespace: 'builtin', call_id: ID },
        { status: 'failure', error: 'No such file: /srv/reports/latest.csv', namespace: 'builtin', call_id: ID },
      ],
    },
    0,
  );
}

function taskEnd(result: JsonValue): ServerMessage {
  return buildTaskEnd(
    { status: 'completed', sessionId: 'run.task.1', responseId: ID, result: [{ request: 'collect', result }] },
    0,
  );
}

/** Results of a megabyte on the wire, of every make that costs a reader something else. */
function largeResults(): Record<string, JsonValue> {
  const row = (index: number) => ({
    pid: index,
    user: 'www-data',
    cpu_percent: (index % 97) / 7,
    memory_bytes: index * 4096,
    command: `/usr/sbin/nginx -g worker ${index}`,
    is_sleeping: index % 3 === 0,
    parent: null,
  });
  const filled = (text: string) => text.repeat(Math.floor(MEGABYTE / Buffer.byteLength(JSON.stringify(text))));
  return {
    'log lines': filled(LISTING),
    'table of rows': Array.from({ length: 7_500 }, (_, index) => row(index)),
    base64: Buffer.alloc((MEGABYTE * 3) / 4, 'screenshot').toString('base64'),
    'JSON in a text': filled(JSON.stringify(row(1))),
    'Cyrillic text': filled('Задача выполнена за 12 секунд, ошибок нет. '),
    'Chinese text': filled('任务已完成,耗时十二秒,没有错误。\n'),
    'text with emoji': filled('2026-01-02 03:04:05 [worker 12] ✅ backup of /srv/data done 🎉\n'),
  };
}

const escapeNonAscii = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Text as a socket gives it: in one piece, decoded from UTF-8. */
function received(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

function written(message: ClientMessage | ServerMessage): string {
  const text = serialiseMessage(message);
  if (!text.ok) throw new Error(`The sample cannot be written: ${text.error.message}`);
  return received(text.value);
}

function readClient(text: string) {
  const parsed = parseClientMessage(text);
  return parsed.ok && validateClientMessage(parsed.value);
}

function readServer(text: string) {
  const parsed = parseServerMessage(text);
  return parsed.ok && validateServerMessage(parsed.value);
}

function readRow(what: string, text: string, read: (text: string) => unknown) {
  return {
    name: `AIP parse, validate: ${what}`,
    unit: 'ns',
    ...nanosecondsOf(
      () => read(text),
      () => JSON.parse(text),
    ),
    baselineName: 'JSON.parse alone',
  };
}

function writeRow(what: string, message: ClientMessage | ServerMessage) {
  return {
    name: `AIP write: ${what}`,
    unit: 'ns',
    ...nanosecondsOf(
      () => serialiseMessage(message),
      () => JSON.stringify(message),
    ),
    baselineName: 'JSON.stringify alone',
  };
}

/** Goals: at most 2 times the bare parser for the small message, at most 1.2 times for the large ones. */
export async function bench() {
  const small = typicalResults();
  const smallText = written(small);
  const ends = Object.entries(largeResults()).map(([what, result]) => [`1 MB, ${what}`, taskEnd(result)] as const);
  const escaped = escapeNonAscii(written(taskEnd('Задача выполнена 🎉\n'.repeat(9_000))));
  return [
    readRow(`COMMAND_RESULTS, ${smallText.length} bytes`, smallText, readClient),
    ...ends.map(([what, end]) => readRow(what, written(end), readServer)),
    readRow('1 MB, text in escapes', received(escaped), readServer),
    writeRow(`COMMAND_RESULTS, ${smallText.length} bytes`, small),
    ...ends.map(([what, end]) => writeRow(what, end)),
  ];
}
