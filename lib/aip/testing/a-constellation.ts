import { createConstellationEndpoint } from '@/lib/aip/endpoints/constellation-endpoint';
import type {
  ConstellationEndpointOptions,
  ConstellationEvent,
  DeviceTaskOrder,
} from '@/lib/aip/endpoints/constellation-endpoint-types';
import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import { ConnectError } from '@/lib/aip/transport/transport';
import type { JsonObject } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createFailingTransport } from './failing-transport';
import { createFakeClock, settle } from './fake-clock';
import { createFakeRandom } from './fake-random';
import { listenOn, type Wire } from './wire';

export const CONFIRMED: JsonObject = { type: 'heartbeat', status: 'ok', response_id: 'r' };
export const REFUSED: JsonObject = { type: 'error', status: 'error', error: "Target device 'dev-1' is not connected" };

/** What a server of ours answers to a REGISTER. */
export function agreedTo(...extensions: string[]): JsonObject {
  return { ...CONFIRMED, result: { extensions } };
}

/** A constellation, and the servers that it has met. `isDown` devices cannot be connected to. */
export function aConstellation(options: Partial<ConstellationEndpointOptions> = {}) {
  const clock = createFakeClock();
  const events: ConstellationEvent[] = [];
  const met: { readonly deviceId: string; readonly wire: Wire }[] = [];
  const down = new Map<string, ConnectError>();
  const tries: { readonly deviceId: string; readonly atMs: number }[] = [];
  const startMs = clock.now();
  const endpoint = createConstellationEndpoint({
    taskName: 'run-1',
    createTransport(_serverUrl, deviceId) {
      tries.push({ deviceId, atMs: clock.now() - startMs });
      const failure = down.get(deviceId);
      if (failure) return createFailingTransport(failure);
      const [near, far] = createMemoryPair();
      met.push({ deviceId, wire: listenOn(far) });
      return near;
    },
    clock,
    random: createFakeRandom(),
    logger: silentLogger,
    reconnection: { jitter: 0 },
    onEvent: (event) => {
      events.push(event);
    },
    ...options,
  });
  const servers = (deviceId = 'dev-1') => met.filter((one) => one.deviceId === deviceId).map(({ wire }) => wire);
  function server(deviceId = 'dev-1'): Wire {
    const wire = servers(deviceId).at(-1);
    if (!wire) throw new Error('Expected the constellation to have connected');
    return wire;
  }
  return {
    clock,
    events,
    endpoint,
    servers,
    server,
    tries: (deviceId = 'dev-1') => tries.filter((one) => one.deviceId === deviceId).map(({ atMs }) => atMs),
    breakNetwork: (deviceId = 'dev-1', code: ConnectError['code'] = 'refused') =>
      down.set(deviceId, new ConnectError(code, 'no way')),
    mendNetwork: (deviceId = 'dev-1') => down.delete(deviceId),
    kinds: () => events.map(({ kind }) => kind),
  };
}

export type ConstellationUnderTest = ReturnType<typeof aConstellation>;

/** Confirms the newest connection of a device and answers the question about it. */
export async function letIn(
  { server }: ConstellationUnderTest,
  { deviceId = 'dev-1', confirmation = CONFIRMED, info = { platform: 'linux' } as JsonObject } = {},
): Promise<void> {
  await settle();
  await server(deviceId).say(confirmation);
  await settle();
  await answerInfo(server(deviceId), info);
}

/** Refuses every registration of one device for a while. */
export async function refuseAll({ servers, clock }: ConstellationUnderTest, forSeconds: number): Promise<void> {
  for (let seconds = 0; seconds < forSeconds; seconds += 1) {
    await settle();
    const wire = servers().at(-1);
    if (wire?.transport.state === 'connected') await wire.say(REFUSED);
    await clock.advance(1_000);
  }
}

export async function answerInfo(wire: Wire, result: JsonObject): Promise<void> {
  const question = wire.heard().findLast(({ type }) => type === 'device_info_request');
  await wire.say({
    type: 'device_info_response',
    status: 'ok',
    response_id: question?.request_id ?? 'none',
    result,
  });
  await settle();
}

/** A constellation with one device that takes tasks. */
export async function aConnectedConstellation(
  options: Partial<ConstellationEndpointOptions> = {},
  confirmation: JsonObject = CONFIRMED,
) {
  const constellation = aConstellation(options);
  const connecting = constellation.endpoint.connectToDevice('dev-1', 'ws://one');
  await letIn(constellation, { confirmation });
  const connected = await connecting;
  if (!connected.ok) throw new Error(connected.error.message);
  constellation.server().heard();
  return constellation;
}

/** Gives a task and waits until it has gone out, if it can. */
export async function give(
  { endpoint }: Pick<ConstellationUnderTest, 'endpoint'>,
  taskId: string,
  { deviceId = 'dev-1', ...more }: { readonly deviceId?: string } & Partial<DeviceTaskOrder> = {},
) {
  const ended = endpoint.sendTaskToDevice(deviceId, { request: 'do it', taskId, ...more });
  await settle();
  return { ended };
}

/** The newest TASK on a wire that was heard since the last look. */
export function taskOn(wire: Wire): JsonObject {
  const task = wire.heard().findLast(({ type }) => type === 'task');
  if (!task) throw new Error('Expected a TASK');
  return task;
}

export async function endTask(wire: Wire, task: JsonObject, more: JsonObject = {}): Promise<void> {
  await wire.say({ type: 'task_end', status: 'completed', session_id: task.session_id ?? null, ...more });
  await settle();
}

export async function accept(wire: Wire, task: JsonObject): Promise<void> {
  await wire.say({ ...CONFIRMED, session_id: task.session_id ?? null });
  await settle();
}
