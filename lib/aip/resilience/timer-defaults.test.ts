import { describe, expect, test } from 'vitest';
import { buildDeviceRegister, type Command } from '@/lib/aip/messages';
import { registeredPlatform } from '@/lib/aip/protocol/registration';
import { runActions } from '@/lib/aip/protocol/run-actions';
import { createFakeClock } from '@/lib/aip/testing/fake-clock';
import { createFakeRandom } from '@/lib/aip/testing/fake-random';
import { vectorCases } from '@/lib/aip/testing/vectors';
import { neverCancelled } from '@/lib/aip/transport/cancellation';
import { silentLogger } from '@/lib/std/logger';
import { createHeartbeatManager } from './heartbeat-manager';
import { DEVICE_CLIENT_RECONNECTION, LIBRARY_RECONNECTION } from './reconnection-settings';
import { createReconnectionStrategy, LOSS_REASONS } from './reconnection-strategy';
import { createTimeoutManager } from './timeout-manager';
import {
  CONSTELLATION_TIMERS,
  DEVICE_CLIENT_TIMERS,
  DEVICE_SERVER_TIMERS,
  STOCK_RETRIES,
  STOCK_SIZES,
  STOCK_SOCKETS,
  STOCK_TIMERS,
} from './timer-defaults';

const cases = await vectorCases('defaults');
const seconds = (ms: number | undefined) => (ms ?? Number.NaN) / 1000;

function heartbeatManagerDefaultMs(): number | undefined {
  const manager = createHeartbeatManager({
    clock: createFakeClock(),
    logger: silentLogger,
    send: async () => true,
    isConnected: () => true,
  });
  manager.start('linux-1');
  return manager.getInterval('linux-1');
}

async function isEarlyExitOurDefault(): Promise<boolean> {
  const action: Command = { tool_name: 'a_tool', tool_type: 'action' };
  const results = await runActions([action, action], async () => ({ status: 'failure', error: 'no' }), neverCancelled);
  return results[1]?.status === 'skipped';
}

const ports = { clock: createFakeClock(), random: createFakeRandom(), logger: silentLogger };

/**
 * For each class or function of the stock implementation: what we have in its place, in its words and seconds. What a
 * case says besides (names, empty values) belongs to no timer and no layer of AIP.
 */
const OURS: Record<string, object> = {
  WebSocketTransport: {
    ping_interval: seconds(STOCK_SOCKETS.library.pingIntervalMs),
    ping_timeout: seconds(STOCK_SOCKETS.library.pingTimeoutMs),
    close_timeout: seconds(STOCK_SOCKETS.library.closeTimeoutMs),
    max_size: STOCK_SIZES.messageBytesMax,
  },
  ReconnectionStrategy: {
    max_retries: LIBRARY_RECONNECTION.maxRetries,
    initial_backoff: seconds(LIBRARY_RECONNECTION.initialBackoffMs),
    max_backoff: seconds(LIBRARY_RECONNECTION.maxBackoffMs),
    backoff_multiplier: LIBRARY_RECONNECTION.backoffMultiplier,
    policy: LIBRARY_RECONNECTION.policy,
  },
  TimeoutManager: { default_timeout: seconds(createTimeoutManager(ports).defaultMs) },
  'aip HeartbeatManager': { default_interval: seconds(heartbeatManagerDefaultMs()) },
  'HeartbeatProtocol.start_heartbeat': { interval: seconds(heartbeatManagerDefaultMs()) },
  AIPEndpoint: {
    heartbeat_interval: seconds(heartbeatManagerDefaultMs()),
    default_timeout: seconds(createTimeoutManager(ports).defaultMs),
  },
  UFOWebSocketClient: {
    max_retries: STOCK_RETRIES.deviceClient,
    timeout: seconds(STOCK_TIMERS.deviceHeartbeatMs),
  },
  'UFOWebSocketClient.heartbeat_loop': { interval: seconds(STOCK_TIMERS.heartbeatMs) },
  'galaxy HeartbeatManager': { heartbeat_interval: seconds(STOCK_TIMERS.heartbeatMs) },
  ConstellationDeviceManager: {
    heartbeat_interval: seconds(STOCK_TIMERS.heartbeatMs),
    reconnect_delay: seconds(STOCK_TIMERS.reconnectMs),
  },
  'ConstellationDeviceManager.assign_task_to_device': { timeout: seconds(STOCK_TIMERS.taskMs) },
  'galaxy AgentProfile': {
    max_retries: STOCK_RETRIES.constellation,
    connection_attempts: createReconnectionStrategy({}, ports).attempts('linux-1'),
  },
  'galaxy ConstellationConfig': {
    heartbeat_interval: seconds(STOCK_TIMERS.heartbeatMs),
    reconnect_delay: seconds(STOCK_TIMERS.reconnectMs),
  },
  'galaxy DeviceConfig': { max_retries: STOCK_RETRIES.constellation },
  'WebSocketCommandDispatcher.execute_commands': { timeout: seconds(DEVICE_SERVER_TIMERS.commandMs) },
  'SessionManager.cancel_task': { reason: LOSS_REASONS.constellation },
  'AIPProtocol.send_file': { chunk_size: STOCK_SIZES.fileChunkBytes },
  'CommandRouter.execute': { early_exit: await isEarlyExitOurDefault() },
  'RegistrationProtocol.register_as_device': {
    platform: registeredPlatform({
      ...buildDeviceRegister({ clientId: 'linux-1', platform: 'linux' }, 0),
      metadata: {},
    }),
  },
};

describe('the defaults of the stock implementation', () => {
  test.each(cases.map((vector) => [vector.name, vector] as const))('[AIP-109] %s', (name, vector) => {
    expect(OURS).toHaveProperty([name]);
    expect(vector.output).toMatchObject(OURS[name] ?? {});
  });

  test('are all recorded that we speak of', () => {
    expect(Object.keys(OURS).sort()).toEqual(cases.map(({ name }) => name).sort());
  });
});

describe('[AIP-109] the times that no recording shows are those of the protocol’s page', () => {
  test('for waits', () => {
    expect(STOCK_TIMERS).toMatchObject({
      deviceHeartbeatMs: 120_000,
      connectMs: 10_000,
      registerMs: 30_000,
      infoMs: 10_000,
      taskRequestMs: 300_000,
      toolMs: 6_000_000,
      cancelGraceMs: 2_000,
    });
  });

  test.each([
    ['deviceServer', 20, 20],
    ['deviceClient', 20, 180],
    ['constellation', 30, 180],
    ['library', 30, 180],
    ['constellationEndpoint', 30, 30],
    ['deviceClientEndpoint', 20, 180],
  ] as const)('for the socket of %s', (name, pingInterval, pingTimeout) => {
    const { pingIntervalMs, pingTimeoutMs, closeTimeoutMs } = STOCK_SOCKETS[name];

    expect([seconds(pingIntervalMs), seconds(pingTimeoutMs)]).toEqual([pingInterval, pingTimeout]);
    expect(closeTimeoutMs).toBe(name === 'deviceServer' ? undefined : 10_000);
  });
});

test('[AIP-57] our own beats come at least every 30 s, and two in a row that stay unanswered mean a dead server', () => {
  for (const timers of [CONSTELLATION_TIMERS, DEVICE_CLIENT_TIMERS]) {
    expect(timers.heartbeatMs).toBeLessThanOrEqual(STOCK_TIMERS.heartbeatMs);
    expect(timers.deadAfterMs).toBeGreaterThanOrEqual(2 * timers.heartbeatMs);
    expect(timers.deadAfterMs).toBeLessThanOrEqual(3 * timers.heartbeatMs);
  }
});

test('[AIP-106] a device of ours waits at most 60 s before it connects again', () => {
  expect(DEVICE_CLIENT_RECONNECTION.maxBackoffMs).toBe(60_000);
});
