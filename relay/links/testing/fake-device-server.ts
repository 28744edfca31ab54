import type { Transport } from '@/lib/aip/transport/transport';
import { startLoopback } from '@/relay/net/testing/loopback';

type Json = Record<string, unknown>;

/** What the server does with each kind of frame; may be changed at any time. */
export type Behaviour = {
  register: 'confirm' | 'refuse' | 'nothing' | 'close';
  info: 'tell' | 'error' | 'nothing';
  task: 'accept' | 'nothing' | 'refuse' | 'close';
  /** Extensions that it agrees to; a stock server knows of none. */
  extensions: readonly string[];
};

export type FakeDeviceServer = {
  readonly url: string;
  readonly behaviour: Behaviour;
  info: Json;
  /** Frames that came, newest last. */
  readonly frames: Json[];
  readonly tasks: () => readonly Json[];
  readonly registrations: () => readonly Json[];
  /** The TASK_ENDs that came: a relay's way to ask for the end of one task. */
  readonly cancels: () => readonly Json[];
  /** Connections that are open. */
  readonly open: Set<Transport>;
  send(frame: Json | string): Promise<void>;
  endTask(task: Json | undefined, end?: Json): Promise<void>;
  cut(): void;
  stop(): Promise<void>;
};

const AT = '2026-01-02T03:04:05.000Z';

/** Speaks to a relay as the stock device server does, and misbehaves on demand. */
export async function startFakeDeviceServer(): Promise<FakeDeviceServer> {
  const frames: Json[] = [];
  const open = new Set<Transport>();
  const behaviour: Behaviour = { register: 'confirm', info: 'tell', task: 'accept', extensions: [] };
  const loopback = await startLoopback({ onTransport: (transport) => void serve(transport) });
  const server: FakeDeviceServer = {
    url: `${loopback.url}?token=hunter2`,
    behaviour,
    info: { device_id: 'linux-1', platform: 'linux' },
    frames,
    open,
    tasks: () => frames.filter(({ type }) => type === 'task'),
    registrations: () => frames.filter(({ type }) => type === 'register'),
    cancels: () => frames.filter(({ type }) => type === 'task_end'),
    async send(frame) {
      for (const transport of open) await sendTo(transport, frame);
    },
    endTask: (task, end = {}) =>
      server.send(
        aFrame({ type: 'task_end', status: 'completed', session_id: task?.session_id, result: 'done', ...end }),
      ),
    cut() {
      for (const transport of open) transport.terminate();
    },
    stop: loopback.stop,
  };

  async function serve(transport: Transport): Promise<void> {
    open.add(transport);
    void transport.waitClosed().then(() => open.delete(transport));
    for (;;) {
      const text = await transport.receive().catch(() => undefined); // the end of the connection is the end of this
      if (text === undefined) return;
      const frame: Json = JSON.parse(text);
      frames.push(frame);
      const answer = answerTo(frame);
      if (answer === 'close') return transport.close(1000, '');
      if (answer === undefined) continue;
      await sendTo(transport, answer);
      if (frame.type === 'register' && answer.type === 'error') return transport.close(1000, '');
    }
  }

  function answerTo(frame: Json): Json | 'close' | undefined {
    const isOk = { type: 'heartbeat', status: 'ok' };
    if (frame.type === 'heartbeat') return aFrame(isOk);
    if (frame.type === 'register') {
      if (behaviour.register === 'refuse') return anError(`Target device '${frame.target_id}' is not connected`);
      const { extensions } = behaviour;
      const confirmation = extensions.length === 0 ? isOk : { ...isOk, result: { extensions } };
      return behaviour.register === 'confirm'
        ? aFrame(confirmation)
        : behaviour.register === 'close'
          ? 'close'
          : undefined;
    }
    if (frame.type === 'device_info_request') {
      if (behaviour.info === 'nothing') return undefined;
      const result = behaviour.info === 'tell' ? server.info : { error: 'not found or no system info available' };
      return aFrame({ type: 'device_info_response', status: 'ok', result, response_id: frame.request_id });
    }
    if (frame.type === 'task') {
      if (behaviour.task === 'refuse') return anError('Service session not supported on toaster');
      if (behaviour.task === 'accept') return aFrame({ ...isOk, session_id: frame.session_id });
      return behaviour.task === 'close' ? 'close' : undefined;
    }
    return undefined;
  }

  return server;
}

function sendTo(transport: Transport, frame: Json | string): Promise<void> {
  const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
  // A connection that ends meanwhile is the point of some tests.
  return transport.send(text).catch(() => {});
}

function aFrame(fields: Json): Json {
  return { timestamp: AT, response_id: 'r', ...fields };
}

function anError(error: string): Json {
  return aFrame({ type: 'error', status: 'error', error });
}
