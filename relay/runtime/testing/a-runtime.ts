import { createFakeClock, type FakeClock } from '@/lib/aip/testing/fake-clock';
import type { ConstellationDocument } from '@/lib/constellation/constellation';
import { aPlan } from '@/lib/constellation/testing/a-plan';
import { FLEET_STREAM } from '@/lib/relay-protocol/streams';
import { type CommandId, commandIdSchema, deviceIdSchema, type RunId, runIdSchema, taskIdSchema } from '@/lib/std/ids';
import type { Logger } from '@/lib/std/logger';
import { silentLogger } from '@/lib/std/logger';
import type { Engine } from '@/relay/engine/engine';
import { createMemoryEngine } from '@/relay/engine/memory-engine';
import { seededRandom } from '@/relay/engine/testing/seeded-random';
import type { AttemptOrder, LinkHost } from '@/relay/links/link-host';
import type { LinkPool } from '@/relay/links/link-pool';
import { createSecretBox } from '@/relay/links/secrets';
import { createRuntime, type RuntimeOptions } from '@/relay/runtime/runtime';
import type { Actor, CommandInput, Runtime, Verdict } from '@/relay/runtime/runtime-port';

export const ADA: Actor = { name: 'ada', role: 'admin', via: 'ui' };
export const BOB: Actor = { name: 'bob', role: 'admin', via: 'ui' };
export const RUN_1: RunId = runIdSchema.parse('1'.repeat(32));
export const deviceId = (id: string) => deviceIdSchema.parse(id);
export const taskId = (id: string) => taskIdSchema.parse(id);

/** Links that only remember what they were told; a test speaks for them through `host`. */
export type FakeLinks = LinkPool & {
  readonly told: string[];
  readonly orders: AttemptOrder[];
  host: LinkHost;
};

export type ARuntime = {
  readonly runtime: Runtime;
  readonly engine: Engine;
  readonly clock: FakeClock;
  readonly links: FakeLinks;
  readonly fatal: unknown[];
  send(command: CommandInput['command'], extra?: Partial<Omit<CommandInput, 'command'>>): Promise<Verdict>;
  addDevice(id: string, serverUrl?: string): Promise<Verdict>;
  createRun(document?: ConstellationDocument, launch?: 'draft' | 'at-once'): Promise<Verdict>;
};

let commands = 0;
export function newCommandId(): CommandId {
  commands += 1;
  return commandIdSchema.parse(`command-${commands}`);
}

export type ARuntimeOptions = Partial<
  Pick<RuntimeOptions, 'whenIdle' | 'forgetAfterMs' | 'policyFor' | 'logger' | 'random'>
> & {
  readonly engine?: Engine;
  readonly clock?: FakeClock;
};

export function aRuntime(options: ARuntimeOptions = {}): ARuntime {
  const clock = options.clock ?? createFakeClock();
  const engine = options.engine ?? createMemoryEngine({ clock, random: seededRandom(3) });
  const links = fakeLinks();
  const fatal: unknown[] = [];
  const logger: Logger = options.logger ?? silentLogger;
  const runtime = createRuntime({
    engine,
    clock,
    random: options.random ?? seededRandom(engine.head(FLEET_STREAM).number + 11),
    logger,
    box: createSecretBox(new Uint8Array(32).fill(7)),
    policyFor: options.policyFor ?? (() => ({ networks: ['127.0.0.0/8', '10.0.0.0/8'] })),
    forgetAfterMs: options.forgetAfterMs,
    builtInIds: new Set(['local']),
    whenIdle: options.whenIdle ?? ((step) => setImmediate(step)),
    onFatal: (cause) => fatal.push(cause),
    links: (host) => {
      links.host = host;
      return links;
    },
  });
  function send(command: CommandInput['command'], extra: Partial<Omit<CommandInput, 'command'>> = {}) {
    return runtime.submit({ commandId: newCommandId(), actor: ADA, ...extra, command });
  }
  return {
    runtime,
    engine,
    clock,
    links,
    fatal,
    send,
    addDevice: (id, serverUrl = 'ws://127.0.0.1:5000/ws') =>
      send({ type: 'device-add', device: aDraft(id, serverUrl) }),
    createRun: (document = aPlan(['a', 'b'], [['a', 'b']]), launch = 'at-once') =>
      send({ type: 'run-create', runId: RUN_1, document, outcomes: new Map(), warnings: [], launch }),
  };
}

export function aDraft(id: string, serverUrl: string) {
  return {
    deviceId: deviceId(id),
    serverUrl,
    os: 'linux',
    capabilities: [],
    metadata: {},
    autoConnect: true,
    maxRetries: 5,
  };
}

function fakeLinks(): FakeLinks {
  const told: string[] = [];
  const orders: AttemptOrder[] = [];
  return {
    told,
    orders,
    get host(): LinkHost {
      throw new Error('no host yet');
    },
    set host(host: LinkHost) {
      Object.defineProperty(this, 'host', { value: host });
    },
    add: (profile) => told.push(`add ${profile.deviceId}`),
    edit: (profile) => told.push(`edit ${profile.deviceId}`),
    remove: (id) => told.push(`remove ${id}`),
    refresh: (id) => told.push(`refresh ${id}`),
    reconnect: (id) => told.push(`reconnect ${id}`),
    enqueue(order) {
      told.push(`enqueue ${order.taskId}#${order.attempt} on ${order.deviceId}`);
      orders.push(order);
    },
    withdraw: (id, key) => told.push(`withdraw ${key.taskId}#${key.attempt} from ${id}`),
    cancel: (order) => told.push(`cancel ${order.taskId}#${order.attempt}`),
    async close() {
      told.push('close');
    },
  };
}
