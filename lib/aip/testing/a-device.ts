import { createDeviceClientEndpoint } from '@/lib/aip/endpoints/device-client-endpoint';
import type { DeviceClientOptions, DeviceClientState, ExecuteContext } from '@/lib/aip/endpoints/device-client-types';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createFakeClock, settle } from './fake-clock';
import { createFakeRandom } from './fake-random';
import { listenOn, type Wire } from './wire';

export const CONFIRMED = { type: 'heartbeat', status: 'ok', response_id: 'r' };

/** What a server of ours answers to a REGISTER. */
export function agreedTo(extensions: readonly string[], more: JsonObject = {}): JsonObject {
  return { ...CONFIRMED, result: { extensions, ...more } };
}

/** The plan of a device that never gives up: 1 s, 60 s, full jitter, no wait below 500 ms. */
const PATIENT = { maxRetries: Number.POSITIVE_INFINITY, initialBackoffMs: 1_000, jitter: 1, minBackoffMs: 500 };

/** A device that has been started, and the servers that it has met. */
export function aDevice(options: Partial<DeviceClientOptions> = {}, fraction = 0.5) {
  const clock = createFakeClock();
  const states: DeviceClientState[] = [];
  const servers: Wire[] = [];
  const createTransport = () => {
    const [near, far] = createMemoryPair();
    servers.push(listenOn(far));
    return near;
  };
  let freeGb = 0;
  const endpoint = createDeviceClientEndpoint({
    createTransport,
    clock,
    random: createFakeRandom(fraction),
    logger: silentLogger,
    clientId: 'dev-1',
    platform: 'linux',
    systemInfo: async () => {
      freeGb += 1;
      return { platform: 'linux', free_gb: freeGb };
    },
    execute: async ({ tool_name }) => ({ status: 'success', result: tool_name }),
    reconnection: PATIENT,
    onState: (state) => states.push(state),
    ...options,
  });
  const started = endpoint.start();
  started.catch(() => {}); // for the tests that want to know
  const server = (index = servers.length - 1) => {
    const wire = servers[index];
    if (!wire) throw new Error('Expected the device to have connected');
    return wire;
  };
  return { clock, states, servers, server, endpoint, started };
}

export async function aRegisteredDevice(
  options: Partial<DeviceClientOptions> = {},
  confirmation: JsonObject = CONFIRMED,
) {
  const device = aDevice(options);
  await settle();
  await device.server().say(confirmation);
  await settle();
  device.server().heard();
  return device;
}

export const COMMAND = { type: 'command', status: 'continue', agent_name: 'LinuxAgent' };

/** A COMMAND whose actions have the call ids `<responseId>.0`, `<responseId>.1` and so on. */
export function command(sessionId: string, responseId: string, tools: readonly string[]): JsonObject {
  const actions = tools.map((name, index) => ({
    tool_name: name,
    tool_type: 'action',
    call_id: `${responseId}.${index}`,
  }));
  return { ...COMMAND, session_id: sessionId, response_id: responseId, actions };
}

/** Tools that end when the test says so. */
export function slowTools() {
  const waiting = new Map<string, () => void>();
  const contexts: ExecuteContext[] = [];
  const execute: DeviceClientOptions['execute'] = (action, context) => {
    contexts.push(context);
    return new Promise((resolve) =>
      waiting.set(action.tool_name, () => resolve({ status: 'success', result: action.tool_name })),
    );
  };
  return { execute, contexts, finish: (name: string) => waiting.get(name)?.() };
}
