import fc from 'fast-check';
import type { FrameData } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import { mutatedFrames } from './mutated-frames';
import { vectorCases } from './vectors';

const SEED = 20_260_105;

/** Stand in a frame for the session that is under way and for the question that is open when it is played. */
export const LIVE_SESSION = 'the-live-session';
export const OPEN_QUESTION = 'the-open-question';

/** Frames as they should be, for mutations: all recorded ones of servers, and those of the extensions. */
const valid: readonly JsonObject[] = [
  ...(await vectorCases('server_message')).flatMap(({ accept, input }) => (accept ? [input as JsonObject] : [])),
  { type: 'heartbeat', status: 'ok', response_id: 'r', result: { extensions: ['log', 'cancel'] } },
  { type: 'heartbeat', status: 'ok', session_id: LIVE_SESSION },
  { type: 'heartbeat', status: 'continue', session_id: LIVE_SESSION, messages: ['a', 'b'] },
  { type: 'task_end', status: 'completed', session_id: LIVE_SESSION, result: [], messages: ['b'] },
  { type: 'device_info_response', status: 'ok', response_id: OPEN_QUESTION, result: { platform: 'linux' } },
  { type: 'device_info_response', status: 'ok', result: { custom_metadata: { load: 1 }, tools: [{}] } },
];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(LIVE_SESSION, OPEN_QUESTION, '', '__proto__', '\ud800', 'x'.repeat(5_000), '\u0000', 'cancelled'),
);
const anything = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom(null, true, 0, -1, 1e308, 2 ** 53, [], {}, [[]]) },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);
const often = <Value>(...values: Value[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: anything });

const info = fc.record(
  {
    platform: anything,
    cpu_count: anything,
    supported_features: fc.oneof(fc.array(text, { maxLength: 3 }), anything),
    capabilities: fc.oneof(fc.array(text, { maxLength: 3 }), anything),
    tools: anything,
    tags: anything,
    custom_metadata: anything,
    stale: anything,
    error: anything,
    error_type: often('timeout', 'cancelled'),
    failure: anything,
    extensions: anything,
  },
  { requiredKeys: [] },
);

/** A message whose members are mostly what they should be, in any combination. */
const message = fc.record(
  {
    type: often('task_end', 'heartbeat', 'error', 'device_info_response', 'command', 'task', 'device_info_request'),
    status: often('continue', 'completed', 'failed', 'ok', 'error'),
    session_id: often(LIVE_SESSION, 'another', null, ''),
    response_id: often(OPEN_QUESTION, 'another', null),
    result: fc.oneof(info, anything),
    messages: fc.oneof(fc.array(text, { maxLength: 4 }), anything),
    error: anything,
    actions: anything,
    user_request: anything,
  },
  { requiredKeys: ['type', 'status'] },
);

const mutated = mutatedFrames(valid, { anything, freeMember: 'result', idPrefix: 'the' });

const frames: fc.Arbitrary<FrameData> = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 4, arbitrary: message.map((frame) => new TextEncoder().encode(JSON.stringify(frame))) },
  { weight: 30, arbitrary: message.map((frame) => JSON.stringify(frame)) },
  { weight: 20, arbitrary: mutated },
);

/** Frames that no server should send, the same ones for the same name. */
export function hostileServerFrames(name: string, count: number): readonly FrameData[] {
  return fc.sample(frames, { seed: SEED + name.length, numRuns: count });
}

/** A frame with what its stand-ins stand for. */
export function playable(frame: FrameData, names: { readonly session: string; readonly question: string }): FrameData {
  if (typeof frame !== 'string') return frame;
  return frame.replaceAll(LIVE_SESSION, names.session).replaceAll(OPEN_QUESTION, names.question);
}
