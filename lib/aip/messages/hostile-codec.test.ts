import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type VectorCase, vectorCases } from '@/lib/aip/testing/vectors';
import {
  type ClientMessage,
  type Parsed,
  parseClientMessage,
  parseServerMessage,
  type ServerMessage,
  serialiseMessage,
} from './index';

/** Frames for each way of making them, each read as a client's and as a server's message. */
const FRAMES = 15_000;
const SEED = 20_260_102;

const PROTOTYPE_MEMBERS = Object.getOwnPropertyNames(Object.prototype);

/** Stands in many a payload and may stand in no reason. It is no word: a reason does repeat a word that nobody knows. */
const SECRET = 'hunter2!';

const recorded = (await Promise.all(['client_message', 'server_message', 'json_text'].map((file) => vectorCases(file))))
  .flat()
  .filter(({ input_encoding: encoding }) => encoding === undefined || encoding === null)
  .map(textOf);

function textOf({ input }: VectorCase): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

const recordedText = fc.constantFrom(...recorded);
/** Any code unit, so that halves of surrogate pairs and controls come in numbers. */
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
const nastyText = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toJSON', '\ud800', '\udc00\ud83d', '\u0000', '\ufeff', '\u2028', ''),
  fc.constantFrom('NaN', '-Infinity', '"', '\\', '\\ud800', SECRET),
  anyText,
);
const nastyNumber = fc.constantFrom(
  '1e999',
  '-1e999',
  '9'.repeat(400),
  '-0',
  '1e-999',
  '0.1e1',
  'NaN',
  '-Infinity',
  '01',
);

/** JSON of any shape as text, since half of what is nasty about it is lost in a value. */
const nastyJson: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '0', '{}', '[]'),
    nastyNumber,
    nastyText.map((text) => JSON.stringify(text)),
    nastyText.map((text) => `"${text}"`),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(nastyText, tie('value')), { maxLength: 4 })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
})).value;

const CLIENT_MEMBERS = [
  'client_type',
  'session_id',
  'client_id',
  'request',
  'action_results',
  'prev_response_id',
  'metadata',
];
const SERVER_MEMBERS = ['user_request', 'actions', 'messages', 'error', 'session_id', 'response_id', 'result'];
const TYPES = [
  'task',
  'heartbeat',
  'command',
  'command_results',
  'task_end',
  'error',
  'register',
  'device_info_response',
];

/** A message whose free members, and some that are not, hold anything; a member may come twice. */
const nastyMessage = fc
  .tuple(
    fc.constantFrom(...TYPES),
    fc.constantFrom('ok', 'continue', 'completed', 'failed', 'error', SECRET),
    fc.array(fc.tuple(fc.constantFrom('type', ...CLIENT_MEMBERS, ...SERVER_MEMBERS, '__proto__'), nastyJson), {
      maxLength: 3,
    }),
    nastyJson,
  )
  .map(([type, status, members, free]) => {
    const rest = members.map(([name, value]) => `,"${name}":${value}`).join('');
    return `{"type":"${type}","status":"${status}"${rest},"metadata":{"a":${free}},"result":${free}}`;
  });

/** A recorded text with a few code units changed, taken out or put in. */
const damagedText = fc
  .tuple(recordedText, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), nastyText), { minLength: 1, maxLength: 4 }))
  .map(([text, damages]) =>
    damages.reduce((left, [place, length, piece]) => {
      const at = place % (left.length + 1);
      return left.slice(0, at) + piece.slice(0, 3) + left.slice(at + length);
    }, text),
  );

const cutText = fc.tuple(recordedText, fc.nat()).map(([text, place]) => text.slice(0, place % (text.length + 1)));

/** A recorded text in which the value of one member stands for that of another, or is anything. */
const swappedMembers = fc.tuple(recordedText, recordedText, nastyJson, fc.nat()).map(([text, other, json, choice]) => {
  const values = other.match(/(?<=":)(?:"[^"]*"|null|true|\{[^{}]*\}|\[[^[\]]*\])/g) ?? [];
  const value = choice % 3 === 0 ? json : (values[choice % Math.max(1, values.length)] ?? 'null');
  let seen = 0;
  return text.replace(/(?<=":)(?:"[^"]*"|null|true)/g, (own) => (seen++ === choice % 7 ? value : own));
});

/** Up to and far beyond what is allowed, whole and cut off, in free members and where no container may stand. */
const deepText = fc
  .tuple(
    fc.integer({ min: 1, max: 400 }),
    fc.constantFrom('[', '{"a":', '[[],', '{"a":[],"b":'),
    fc.boolean(),
    nastyJson,
  )
  .map(([depth, opening, isWhole, inside]) => {
    const closing = isWhole ? (opening.startsWith('[') ? ']' : '}').repeat(depth) : '';
    return `{"type":"task_end","status":"ok","result":${opening.repeat(depth)}${inside}${closing}}`;
  });

const WAYS = [
  ['arbitrary text', { texts: anyText, isEverRead: false }],
  ['arbitrary JSON', { texts: nastyJson, isEverRead: false }],
  ['messages with anything inside', { texts: nastyMessage, isEverRead: true }],
  ['recorded messages with damaged text', { texts: damagedText, isEverRead: true }],
  ['recorded messages that are cut off', { texts: cutText, isEverRead: true }],
  ['recorded messages with swapped members', { texts: swappedMembers, isEverRead: true }],
  ['deep nesting', { texts: deepText, isEverRead: true }],
] as const;

/** A check that costs next to nothing while it holds: there are a hundred thousand frames. */
function demand(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`Expected ${what}`);
}

/** @returns whether the text was read */
function check<Message extends ClientMessage | ServerMessage>(
  parse: (text: string) => Parsed<Message>,
  text: string,
): boolean {
  const parsed = parse(text);
  if (!parsed.ok) {
    const { message, problems } = parsed.error;
    demand(message.includes('xpected ') && message.length < 2_000, `a reason in a few words, got ${message}`);
    demand(!`${message}${JSON.stringify(problems)}`.includes(SECRET), `a reason without payload, got ${message}`);
    return false;
  }
  const written = serialiseMessage(parsed.value);
  // Read are 201 levels, written 200; anything else that is read can be written.
  if (!written.ok) {
    demand(written.error.code === 'too-deep', `only depth to be refused, got ${written.error.code}`);
    return true;
  }
  demand(written.value.isWellFormed(), 'whole characters');
  const again = parse(written.value);
  // As text: `-0` is written as `0`, the same number, and members have an order.
  const [before, after] = [parsed.value, again.ok && again.value].map((value) => JSON.stringify(value));
  demand(after === before, `the same message again, got ${after} for ${before}`);
  return true;
}

describe('hostile frames harm no parser', () => {
  test.each(WAYS)('[AIP-13][AIP-18] %s', (_way, { texts, isEverRead }) => {
    let read = 0;
    const property = fc.property(texts, (made) => {
      // Half of a surrogate pair stands in no text that a socket gives, but as an escape.
      const text = made.toWellFormed();
      const verdicts = [check(parseClientMessage, text), check(parseServerMessage, text)];
      if (verdicts.includes(true)) read += 1;
    });
    fc.assert(property, { seed: SEED, numRuns: FRAMES });

    expect(read > 0).toBe(isEverRead);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(PROTOTYPE_MEMBERS);
  });
});
