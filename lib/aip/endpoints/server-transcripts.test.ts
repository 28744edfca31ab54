import { describe, expect, test } from 'vitest';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { createMask } from '@/lib/aip/testing/mask';
import { standInAgent } from '@/lib/aip/testing/stand-in-agent';
import { vectorCases, withoutNullsDeep } from '@/lib/aip/testing/vectors';
import { memberOf, openWire, type Wire } from '@/lib/aip/testing/wire';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createDeviceServerEndpoint } from './device-server-endpoint';

type Step = {
  readonly who: string;
  readonly send?: JsonObject;
  readonly send_text?: string;
  readonly send_binary_hex?: string;
  readonly close?: number;
};
type Outcome = {
  readonly frames: readonly { readonly to: string; readonly frame: JsonObject }[];
  readonly server_ended: readonly string[];
  readonly close_codes: Record<string, number>;
  readonly online: readonly string[];
};

/** Where the recorded server errs and ours, on purpose, does not; each has a test of its own. */
const BETTER_THAN_RECORDED = new Set([
  'register-bug:system_info-not-an-object-leaves-ghost',
  'register-bug:send-fails-during-confirmation-leaves-ghost',
  'identity:constellation-heartbeat-default-client_type',
  'task:null-action_results',
  'task:same-owner-reuses-running-session',
  'misc:error-is-echoed',
  'misc:error-without-text',
]);

const cases = (await vectorCases('server_transcripts')).filter(({ name }) => !BETTER_THAN_RECORDED.has(name));

describe('the recorded dialogues with a device server', () => {
  test.each(cases.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    const { steps } = vector.input as unknown as { steps: Step[] };
    const expected = (vector.output as unknown as { steps: Outcome[] }).steps;
    const server = createDeviceServerEndpoint({
      clock: createFakeClock(),
      random: createFakeRandom(),
      logger: silentLogger,
      agent: standInAgent,
    });
    const wires = new Map<string, Wire>();
    const mask = createMask();

    for (const [index, step] of steps.entries()) {
      const wire = wires.get(step.who) ?? openWire((transport) => void server.handleWebSocket(transport));
      wires.set(step.who, wire);
      await perform(wire, step, wires);
      await settle();

      const outcome = expected[index];
      const frames = [...wires].flatMap(([to, { heard }]) => heard().map((frame) => ({ to, frame })));
      expect(withoutTexts(mask(frames))).toEqual(withoutTexts(outcome?.frames));
      expect([...server.onlineClients()].sort()).toEqual([...(outcome?.online ?? [])].sort());
      for (const who of outcome?.server_ended ?? []) expect(wires.get(who)?.transport.state).toBe('disconnected');
      for (const [who, code] of Object.entries(outcome?.close_codes ?? {})) {
        expect(wires.get(who)?.closed?.code).toBe(code);
      }
    }
    await server.close();
  });
});

async function perform(wire: Wire, step: Step, wires: ReadonlyMap<string, Wire>) {
  if (step.close !== undefined) {
    if (step.close === 1006) wire.transport.terminate();
    else await wire.transport.close(step.close, '');
  } else if (step.send_text !== undefined) await wire.transport.send(step.send_text);
  else if (step.send_binary_hex !== undefined) {
    await wire.transport.send(Buffer.from(step.send_binary_hex, 'hex'));
  } else await wire.say(filled(step.send ?? {}, wires) as JsonObject);
}

/** `${dev.last.response_id}` is a value from the last frame that `dev` heard. */
function filled(value: JsonValue, wires: ReadonlyMap<string, Wire>): JsonValue {
  if (typeof value === 'string') {
    const reference = /^\$\{(\w+)\.last\.(.+)\}$/.exec(value);
    if (!reference) return value;
    return memberOf(wires.get(reference[1] ?? '')?.last, reference[2] ?? '') ?? null;
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, wires));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, filled(member, wires)]));
}

/** Texts about malformed input are each implementation's own; no peer may read them. */
function withoutTexts(frames: unknown): unknown {
  const text = JSON.stringify(withoutNullsDeep(frames)).replace(
    /"error":"(?:\d+ validation error|Unknown message type|Expected |client_type: )(?:[^"\\]|\\.)*"/g,
    '"error":"<text>"',
  );
  return JSON.parse(text);
}
