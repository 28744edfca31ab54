import fc from 'fast-check';
import type { FrameData } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import { mutatedFrames } from './mutated-frames';
import { vectorCases } from './vectors';

const SEED = 20_260_103;

/** Frames as they should be, for mutations: all recorded ones of clients, and those of the extensions. */
const valid: readonly JsonObject[] = [
  ...(await vectorCases('client_message')).flatMap(({ accept, input }) => (accept ? [input as JsonObject] : [])),
  { type: 'register', status: 'ok', client_id: 'dev-1', metadata: { extensions: ['resume', 'log'], resume: 'token' } },
  { type: 'heartbeat', status: 'continue', session_id: 's-1', metadata: { messages: ['a', 'b'] } },
  { type: 'task_end', status: 'failed', client_type: 'constellation', session_id: 's-1' },
  { type: 'task_end', status: 'completed', session_id: 's-1', metadata: { result: [] } },
  {
    type: 'device_info_response',
    status: 'ok',
    metadata: { system_info: { free_gb: 1 }, capabilities: [], tools: [] },
  },
  {
    type: 'task',
    status: 'continue',
    client_type: 'constellation',
    target_id: 'dev-1',
    session_id: 's-1',
    request: 'x',
    metadata: { timeout_seconds: 5 },
  },
];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('s-1', '', '__proto__', 'constructor', '\ud800', 'x'.repeat(5_000), '\u0000', '../../etc'),
);
const anything = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom(null, true, 0, -1, 1e308, 2 ** 53, [], {}, [[]]) },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);
const result = fc.record(
  {
    status: fc.oneof(fc.constantFrom('success', 'failure', 'skipped', 'none'), anything),
    result: anything,
    call_id: text,
  },
  { requiredKeys: [] },
);
const types = [
  'task',
  'command_results',
  'heartbeat',
  'device_info_request',
  'device_info_response',
  'task_end',
  'register',
  'error',
] as const;
const often = <Value>(...values: Value[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: anything });

/** A message whose members are mostly what they should be, in any combination. */
const message = fc.record(
  {
    type: often(...types),
    status: often('continue', 'completed', 'failed', 'ok', 'error'),
    client_type: often('device', 'constellation'),
    client_id: often('dev-1', 'con-1', null, ''),
    target_id: often('dev-1', 'con-1', null),
    session_id: often('s-1', 's-2', 's-3', 'own', null),
    task_name: anything,
    request: often('x', 'no-rounds', ''),
    request_id: anything,
    prev_response_id: anything,
    action_results: fc.oneof(fc.array(result, { maxLength: 4 }), anything),
    error: anything,
    metadata: fc.oneof(
      fc.record(
        {
          messages: fc.oneof(fc.array(text, { maxLength: 5 }), anything),
          timeout_seconds: often(0.5, 3, 1e300, -1),
          system_info: anything,
          capabilities: anything,
          tools: anything,
          extensions: anything,
          resume: anything,
          result: anything,
        },
        { requiredKeys: [] },
      ),
      anything,
    ),
  },
  { requiredKeys: ['type', 'status', 'client_type'] },
);

const mutated = mutatedFrames(valid, { anything, freeMember: 'metadata', idPrefix: 's' });

const frames: fc.Arbitrary<FrameData> = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 30, arbitrary: message.map((frame) => JSON.stringify(frame)) },
  { weight: 20, arbitrary: mutated },
);

/** Frames that no client should send, the same ones for the same name. */
export function hostileClientFrames(name: string, count: number): readonly FrameData[] {
  return fc.sample(frames, { seed: SEED + name.length, numRuns: count });
}
