import { describe, expect, test } from 'vitest';
import { createFakeClock, settle } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { createMask } from '@/lib/aip/testing/mask';
import { standInAgent } from '@/lib/aip/testing/stand-in-agent';
import { vectorCases, withoutNullsDeep } from '@/lib/aip/testing/vectors';
import { memberOf, openWire, type Wire } from '@/lib/aip/testing/wire';
import { ConnectionError, type Transport } from '@/lib/aip/transport/transport';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createDeviceServerEndpoint } from './device-server-endpoint';

type Step = {
  readonly who: string;
  readonly send?: JsonObject;
  readonly send_text?: string;
  readonly send_binary_hex?: string;
  readonly close?: number;
  readonly fail_send?: boolean;
};
type Outcome = {
  readonly frames: readonly { readonly to: string; readonly frame: JsonObject }[];
  readonly server_ended: readonly string[];
  readonly close_codes: Record<string, number>;
  readonly online: readonly string[];
};

/** What ours does where the recorded server errs, by step, and why that is better. */
type Better = { readonly why: string; readonly steps: Readonly<Record<number, Partial<Outcome>>> };

const frame = { timestamp: '<iso8601-utc>' };
const failedRound = [{ request: 'one-round', result: ['failure'] }];
const endOfFailedRound = {
  ...frame,
  type: 'task_end',
  status: 'completed',
  session_id: 'run-1@task_1',
  response_id: '<uuid:6>',
  result: failedRound,
};
const refusedReuse = {
  ...frame,
  type: 'error',
  status: 'error',
  error: "session_id 'S' is in use; every task needs its own",
  response_id: '<uuid:6>',
};

const BETTER_THAN_RECORDED: Record<string, Better> = {
  'register-bug:system_info-not-an-object-leaves-ghost': {
    why: 'system_info of a wrong kind counts as absent, and the connection lives',
    steps: { 0: { server_ended: [] } },
  },
  'register-bug:send-fails-during-confirmation-leaves-ghost': {
    why: 'an id is free as soon as its connection has ended',
    steps: {
      0: { online: [] },
      1: {
        frames: [{ to: 'z2', frame: { ...frame, type: 'heartbeat', status: 'ok', response_id: '<uuid:1>' } }],
        server_ended: [],
        close_codes: {},
      },
    },
  },
  'identity:constellation-heartbeat-default-client_type': {
    why: 'the heartbeat of a stock constellation does no harm, so it is answered',
    steps: {
      2: { frames: [{ to: 'con', frame: { ...frame, type: 'heartbeat', status: 'ok', response_id: '<uuid:3>' } }] },
    },
  },
  'task:null-action_results': {
    why: 'a command without a result has failed, and its agent is told so',
    steps: {
      3: {
        frames: [
          { to: 'dev', frame: endOfFailedRound },
          { to: 'con', frame: endOfFailedRound },
        ],
      },
    },
  },
  'task:same-owner-reuses-running-session': {
    why: 'a session id that is in use is refused; the old session would run twice',
    steps: { 3: { frames: [{ to: 'con', frame: refusedReuse }] } },
  },
  'misc:error-is-echoed': {
    why: 'an ERROR is never answered, or two peers might never stop',
    steps: { 1: { frames: [] } },
  },
  'misc:error-without-text': {
    why: 'an ERROR is never answered, or two peers might never stop',
    steps: { 1: { frames: [] } },
  },
};

const cases = await vectorCases('server_transcripts');

function titleOf(name: string): string {
  const better = BETTER_THAN_RECORDED[name];
  return better ? `${name}, ours: ${better.why}` : name;
}

test('there are the recorded dialogues, and every exception is one of them', () => {
  const names = cases.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(64);
  for (const name of Object.keys(BETTER_THAN_RECORDED)) expect(names).toContain(name);
});

describe('the recorded dialogues with a device server', () => {
  test.each(cases.map((vector) => [titleOf(vector.name), vector] as const))('%s', async (_title, vector) => {
    const { steps } = vector.input as unknown as { steps: Step[] };
    const recorded = (vector.output as unknown as { steps: Outcome[] }).steps;
    const better = BETTER_THAN_RECORDED[vector.name];
    const server = createDeviceServerEndpoint({
      clock: createFakeClock(),
      random: createFakeRandom(),
      logger: silentLogger,
      agent: standInAgent,
    });
    const wires = new Map<string, Wire>();
    const mask = createMask();

    for (const [index, step] of steps.entries()) {
      const wire =
        wires.get(step.who) ?? openWire((transport) => void server.handleWebSocket(farEndOf(transport, step)));
      wires.set(step.who, wire);
      await perform(wire, step, wires);
      await settle();

      const outcome = { ...recorded[index], ...better?.steps[index] };
      const frames = [...wires].flatMap(([to, { heard }]) => heard().map((heardFrame) => ({ to, frame: heardFrame })));
      expect(withoutTexts(mask(frames))).toEqual(withoutTexts(outcome.frames));
      expect([...server.onlineClients()].sort()).toEqual([...(outcome.online ?? [])].sort());
      for (const who of outcome.server_ended ?? []) expect(wires.get(who)?.transport.state).toBe('disconnected');
      if (!outcome.server_ended?.includes(step.who) && step.close === undefined) {
        expect(wire.transport.state).toBe('connected');
      }
      for (const [who, code] of Object.entries(outcome.close_codes ?? {})) {
        expect(wires.get(who)?.closed?.code).toBe(code);
      }
    }
    await server.close();
  });
});

/** The server's end of a connection; where the recording says so, the peer vanishes before anything is sent to it. */
function farEndOf(transport: Transport, step: Step): Transport {
  if (!step.fail_send) return transport;
  return new Proxy(transport, {
    get(target, member) {
      if (member !== 'send') return Reflect.get(target, member);
      return async () => {
        target.terminate();
        throw new ConnectionError('The peer has vanished');
      };
    },
  });
}

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
