import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  aBusyAgent,
  answerTo,
  aServer,
  CANCEL,
  CONSTELLATION_EXTENSIONS,
  DEVICE_EXTENSIONS,
  giveTask,
  joinConstellation,
  joinDevice,
} from '@/lib/aip/testing/a-server';
import { settle } from '@/lib/aip/testing/fake-clock';
import type { Wire } from '@/lib/aip/testing/wire';
import { isJsonObject, type JsonObject } from '@/lib/std/json';

const SESSIONS = ['a', 'b', 'c'];

/** What may happen to a server, its device and its requester, in any order. */
const happening = fc.oneof(
  fc.record({ kind: fc.constant('task' as const), id: fc.constantFrom(...SESSIONS), isTimed: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('cancel' as const, 'device-end' as const), id: fc.constantFrom(...SESSIONS) }),
  fc.record({ kind: fc.constant('print' as const), id: fc.constantFrom(...SESSIONS) }),
  fc.record({ kind: fc.constantFrom('answer' as const, 'answer' as const, 'operator' as const) }),
  fc.record({ kind: fc.constantFrom('cut' as const, 'goodbye' as const, 'return' as const, 'stranger' as const) }),
  fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 50, 1_000, 4_999, 5_000, 14_000, 16_000) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

function aWorld() {
  const setup = aServer({ agent: aBusyAgent(2) });
  const heard: JsonObject[] = [];
  const commands: JsonObject[] = [];
  let device: Wire;
  let constellation: Wire;
  let token = '';

  /** Everything that was said so far, put where it belongs. */
  function listen() {
    heard.push(...constellation.heard());
    for (const frame of device.heard()) {
      if (frame.type === 'command') commands.push(frame);
      const { result } = frame;
      if (frame.type === 'heartbeat' && result !== undefined && isJsonObject(result)) token = String(result.resume);
    }
  }

  async function join(metadata: JsonObject) {
    if (device.transport.state === 'connected') return;
    device = await joinDevice(setup, 'dev-1', { ...DEVICE_EXTENSIONS, ...metadata });
  }

  async function sayOf(wire: Wire, message: JsonObject) {
    if (wire.transport.state === 'connected') await wire.say(message);
  }

  async function happen(event: Happening): Promise<unknown> {
    switch (event.kind) {
      case 'task':
        return giveTask(constellation, event.id, event.isTimed ? { metadata: { timeout_seconds: 5 } } : {});
      case 'cancel':
        return constellation.say({ ...CANCEL, session_id: event.id });
      case 'device-end':
        return sayOf(device, { type: 'task_end', status: 'completed', session_id: event.id });
      case 'print':
        return sayOf(device, {
          type: 'heartbeat',
          status: 'continue',
          session_id: event.id,
          metadata: { messages: ['line'] },
        });
      case 'answer':
        return sayOf(device, answerTo(commands.shift(), [{ status: 'success' }]));
      case 'operator':
        return setup.server.cancelDeviceTasks('dev-1', 'maintenance');
      case 'cut':
        return device.transport.terminate();
      case 'goodbye':
        return device.transport.close(1000, '');
      case 'return':
        return join({ resume: token });
      case 'stranger':
        return join({});
      case 'time':
        return setup.clock.advance(event.ms);
      default:
        return event satisfies never;
    }
  }

  return {
    setup,
    heard,
    async begin() {
      device = await joinDevice(setup, 'dev-1', DEVICE_EXTENSIONS);
      constellation = await joinConstellation(setup, 'con-1', CONSTELLATION_EXTENSIONS);
      listen();
      heard.length = 0;
    },
    async step(event: Happening) {
      await happen(event);
      listen();
    },
    async finish() {
      await settle();
      device.transport.terminate();
      await setup.clock.advance(60_000);
      listen();
    },
  };
}

test('[AIP-73][AIP-G4] whatever happens in whatever order, each accepted task ends once, behind its acknowledgement and output', async () => {
  const lives = fc.asyncProperty(fc.array(happening, { maxLength: 30 }), async (events) => {
    const world = aWorld();
    await world.begin();
    for (const event of events) await world.step(event);
    await world.finish();

    for (const id of SESSIONS) {
      const words = world.heard
        .filter(({ session_id }) => session_id === id)
        .map(({ type, status }) => (type === 'heartbeat' ? String(status) : String(type)));
      // Each life: accepted, any output, then the one end; after it the id may begin its next life.
      expect(words.join(' ')).toMatch(/^(ok( continue)* task_end ?)*$/);
    }
    expect(world.setup.server.onlineClients()).toEqual(['con-1']);
    expect(await world.setup.server.cancelDeviceTasks('dev-1', 'test')).toBe(0);
  });
  await fc.assert(lives, { seed: 20_260_104, numRuns: 300 });
});
