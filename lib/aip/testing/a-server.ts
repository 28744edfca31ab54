import { createDeviceServerEndpoint } from '@/lib/aip/endpoints/device-server-endpoint';
import type { DeviceServerOptions } from '@/lib/aip/endpoints/device-server-types';
import type { RoundReport, TaskAgent, TaskOutcome, TaskSession } from '@/lib/aip/endpoints/task-agent';
import type { JsonObject, JsonValue } from '@/lib/std/json';
import { silentLogger } from '@/lib/std/logger';
import { createFakeClock, settle } from './fake-clock';
import { createFakeRandom } from './fake-random';
import { standInAgent } from './stand-in-agent';
import { openWire, type Wire } from './wire';

/** A device server on a fake clock, and the connections of a test to it. */
export function aServer(options: Partial<DeviceServerOptions> = {}) {
  const clock = createFakeClock();
  const server = createDeviceServerEndpoint({
    clock,
    random: createFakeRandom(),
    logger: silentLogger,
    agent: standInAgent,
    ...options,
  });
  const open = () => openWire((transport) => void server.handleWebSocket(transport));
  return { clock, server, open };
}

export type ServerUnderTest = ReturnType<typeof aServer>;

/** Metadata of a client that knows some extensions. */
export function announcing(...extensions: string[]): JsonObject {
  return { extensions };
}

export const DEVICE_EXTENSIONS = announcing('device_info', 'log', 'cancel', 'task_end', 'deadline', 'resume');
export const CONSTELLATION_EXTENSIONS = announcing('device_info', 'log', 'cancel', 'deadline');

export async function joinDevice({ open }: Pick<ServerUnderTest, 'open'>, id = 'dev-1', metadata: JsonObject = {}) {
  const wire = open();
  await wire.say({
    type: 'register',
    status: 'ok',
    client_id: id,
    metadata: { platform: 'linux', system_info: { device_id: id, free_gb: 1 }, ...metadata },
  });
  await settle();
  return wire;
}

export async function joinConstellation(
  { open }: Pick<ServerUnderTest, 'open'>,
  id = 'con-1',
  metadata: JsonObject = {},
) {
  const wire = open();
  const who = { client_type: 'constellation', client_id: id, target_id: 'dev-1' };
  await wire.say({ type: 'register', status: 'ok', ...who, metadata });
  await settle();
  return wire;
}

/** A server with a device and a constellation that is there for it; both have had their confirmations. */
export async function aPair(
  options: Partial<DeviceServerOptions> = {},
  { device: deviceMetadata = {}, constellation: constellationMetadata = {} } = {},
) {
  const setup = aServer(options);
  const device = await joinDevice(setup, 'dev-1', deviceMetadata);
  const constellation = await joinConstellation(setup, 'con-1', constellationMetadata);
  device.heard();
  constellation.heard();
  return { ...setup, device, constellation };
}

export const TASK = { type: 'task', status: 'continue', client_type: 'constellation', target_id: 'dev-1' };
export const CANCEL = { type: 'task_end', status: 'failed', client_type: 'constellation' };

/** Gives a task and waits until the server has dealt with it. */
export async function giveTask(wire: Wire, sessionId: string, more: JsonObject = {}) {
  await wire.say({ ...TASK, session_id: sessionId, request: 'one-round', ...more });
  await settle();
}

export function answerTo(command: JsonObject | undefined, actionResults: JsonValue): JsonObject {
  return {
    type: 'command_results',
    status: 'continue',
    session_id: command?.session_id ?? null,
    prev_response_id: command?.response_id ?? null,
    action_results: actionResults,
  };
}

export const typesOf = (frames: readonly JsonObject[]) => frames.map(({ type }) => type);

/** An agent whose tasks end when the test says so. */
export function aPatientAgent() {
  const sessions: TaskSession[] = [];
  const enders: ((outcome: TaskOutcome) => void)[] = [];
  const agent: TaskAgent = {
    run(session) {
      sessions.push(session);
      return new Promise((resolve) => enders.push(resolve));
    },
  };
  const done: TaskOutcome = { status: 'completed', result: [] };
  return { agent, sessions, end: (index = 0, outcome = done) => enders[index]?.(outcome) };
}

/** An agent that runs one command after another, reporting each round, until it is cancelled or has run so many. */
export function aBusyAgent(roundsMax = 1_000): TaskAgent {
  return {
    async run({ execute, report, cancellation }) {
      const reports: RoundReport[] = [];
      for (let step = 0; step < roundsMax && !cancellation.isCancelled; step += 1) {
        const results = await execute([{ toolName: `tool_${step}`, parameters: {}, toolType: 'action' }]);
        const round = { request: `round ${step}`, result: results[0]?.result ?? null };
        reports.push(round);
        report(round);
      }
      return { status: 'completed', result: reports };
    },
  };
}
