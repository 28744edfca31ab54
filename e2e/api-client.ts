import type { DeviceResource } from '@/lib/relay-protocol/http';
import type { RunDocument } from '@/lib/run/run-document';
import { waitFor } from './child-program';

const ENDED = ['completed', 'partially_failed', 'failed', 'cancelled'];

export type Answer = { readonly status: number; readonly body: unknown };

/** The HTTP API as a script uses it: with the bearer token and nothing else. */
export type ApiClient = {
  request(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Sends a body as it is, such as a file that is not JSON. */
  requestText(method: string, path: string, text: string): Promise<Answer>;
  devices(): Promise<readonly DeviceResource[]>;
  device(id: string): Promise<DeviceResource>;
  addDevice(device: { id: string; serverUrl: string }): Promise<void>;
  /** @returns the id of the new run */
  createRun(constellation: unknown, query?: string): Promise<string>;
  run(id: string): Promise<RunDocument>;
  untilDevice(id: string, status: string, deadlineMs?: number): Promise<void>;
  untilTask(runId: string, taskId: string, displayState: string): Promise<void>;
  untilRunEnded(id: string, deadlineMs?: number): Promise<RunDocument>;
};

export function createApiClient(origin: string, token: string): ApiClient {
  async function send(method: string, path: string, text: string | undefined): Promise<Answer> {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(text === undefined ? {} : { body: text }),
      signal: AbortSignal.timeout(20_000),
    });
    const answer = await response.text();
    return { status: response.status, body: answer === '' ? null : JSON.parse(answer) };
  }

  const request: ApiClient['request'] = (method, path, body) =>
    send(method, path, body === undefined ? undefined : JSON.stringify(body));

  /** The shapes of answers are held by the tests of the API; here they are only used. */
  async function good<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await request(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Body;
  }

  const client: ApiClient = {
    request,
    requestText: send,
    async devices() {
      const body = await good<readonly DeviceResource[] | { devices: readonly DeviceResource[] }>('GET', '/v1/devices');
      return 'devices' in body ? body.devices : body;
    },
    device: (id) => good('GET', `/v1/devices/${id}`),
    async addDevice({ id, serverUrl }) {
      await good('POST', '/v1/devices', { device_id: id, server_url: serverUrl, os: 'linux' });
    },
    async createRun(constellation, query = '') {
      return (await good<{ id: string }>('POST', `/v1/runs${query}`, constellation)).id;
    },
    run: (id) => good('GET', `/v1/runs/${id}`),
    async untilDevice(id, status, deadlineMs) {
      await waitFor(
        async () => (await client.device(id)).status === status,
        `device ${id} to be ${status}`,
        deadlineMs,
      );
    },
    async untilTask(runId, taskId, displayState) {
      const isThere = async () => (await client.run(runId)).tasks[taskId]?.display_state === displayState;
      await waitFor(isThere, `task ${taskId} to be ${displayState}`);
    },
    async untilRunEnded(id, deadlineMs = 60_000) {
      await waitFor(async () => ENDED.includes((await client.run(id)).state), `run ${id} to end`, deadlineMs);
      return client.run(id);
    },
  };
  return client;
}
