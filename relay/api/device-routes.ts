import { z } from 'zod';
import { deviceDraftSchema, devicePatchSchema } from '@/lib/fleet/commands';
import type { Device } from '@/lib/fleet/device';
import { deviceResourceSchema } from '@/lib/relay-protocol/http';
import type { Clock } from '@/lib/std/clock';
import { type DeviceId, deviceIdSchema } from '@/lib/std/ids';
import type { Random } from '@/lib/std/random';
import type { Committed, Runtime } from '@/relay/runtime/runtime-port';
import type { ApiContext, ApiRoute } from './api-env';
import { IDEMPOTENCY_HEADER, sendCommand } from './commanding';
import { toDeviceResource } from './device-resource';
import { problemResponse } from './problem';
import { flagIn } from './query-flag';
import { readJson } from './read-body';

/** Longer than the relay waits for a device (10 s), so that the device's own outcome is told. */
const REFRESH_WAIT_MS = 12_000;
const BODY_BYTES_MAX = 262_144;

const draft = deviceDraftSchema.shape;
const patch = devicePatchSchema.shape;

const newDeviceBody = z.strictObject({
  device_id: draft.deviceId,
  server_url: draft.serverUrl,
  os: draft.os,
  capabilities: draft.capabilities,
  metadata: draft.metadata,
  auto_connect: draft.autoConnect,
  max_retries: draft.maxRetries,
});
const editedDeviceBody = z.strictObject({
  server_url: patch.serverUrl,
  os: patch.os,
  capabilities: patch.capabilities,
  metadata: patch.metadata,
  auto_connect: patch.autoConnect,
  max_retries: patch.maxRetries,
});
const refreshBody = z.strictObject({ when: z.enum(['now', 'on-return']).default('now') });
export const deviceListSchema = z.strictObject({ devices: z.array(deviceResourceSchema) });

const ID = { name: 'id', in: 'path', about: 'Id of the device.' } as const;
const one = { about: 'The device.', schema: deviceResourceSchema };

export function deviceRoutes(ports: { runtime: Runtime; clock: Clock; random: Random }): readonly ApiRoute[] {
  const { runtime } = ports;

  function find(context: ApiContext): Device | undefined {
    const id = deviceIdSchema.safeParse(context.req.param('id'));
    return id.success ? runtime.fleet().devices.get(id.data) : undefined;
  }

  function shown(context: ApiContext, device: Device) {
    const { role } = context.get('identity').actor;
    return toDeviceResource(device, { lastHeardAtMs: runtime.lastHeardAtMs(device.profile.deviceId), role });
  }

  /** The device as it is after a command; gone if somebody removed it meanwhile. */
  function answer(context: ApiContext, deviceId: DeviceId, status: 200 | 201 | 202): Response {
    const device = runtime.fleet().devices.get(deviceId);
    return device === undefined ? unknownDevice(context) : context.json(shown(context, device), status);
  }

  return [
    {
      method: 'get',
      path: '/v1/devices',
      summary: 'All devices',
      access: 'signed-in',
      answers: { 200: { about: 'In the order in which they were added.', schema: deviceListSchema } },
      handle: (context) =>
        context.json({ devices: [...runtime.fleet().devices.values()].map((device) => shown(context, device)) }),
    },
    {
      method: 'post',
      path: '/v1/devices',
      summary: 'Add a device',
      access: 'signed-in',
      parameters: [IDEMPOTENCY_HEADER],
      body: { mediaType: 'application/json', schema: newDeviceBody, need: 'required' },
      answers: { 201: one },
      async handle(context) {
        const body = await readJson(context, newDeviceBody, BODY_BYTES_MAX);
        if (!body.ok) return body.error;
        const { device_id, server_url, os, capabilities, metadata, auto_connect, max_retries } = body.value;
        const sent = await sendCommand(ports, context, {
          type: 'device-add',
          device: {
            deviceId: device_id,
            serverUrl: server_url,
            os,
            capabilities,
            metadata,
            autoConnect: auto_connect,
            maxRetries: max_retries,
          },
        });
        if (!sent.ok) return sent.error;
        context.header('location', `/v1/devices/${device_id}`);
        return answer(context, device_id, 201);
      },
    },
    {
      method: 'get',
      path: '/v1/devices/{id}',
      summary: 'One device',
      access: 'signed-in',
      parameters: [ID],
      answers: { 200: one },
      handle(context) {
        const device = find(context);
        return device === undefined ? unknownDevice(context) : context.json(shown(context, device));
      },
    },
    {
      method: 'patch',
      path: '/v1/devices/{id}',
      summary: 'Edit a device; fields that are absent stay as they are',
      access: 'signed-in',
      parameters: [ID, IDEMPOTENCY_HEADER],
      body: { mediaType: 'application/json', schema: editedDeviceBody, need: 'required' },
      answers: { 200: one },
      async handle(context) {
        const device = find(context);
        if (device === undefined) return unknownDevice(context);
        const body = await readJson(context, editedDeviceBody, BODY_BYTES_MAX);
        if (!body.ok) return body.error;
        const { deviceId } = device.profile;
        const edit = toPatch(body.value);
        const sent = await sendCommand(ports, context, { type: 'device-edit', deviceId, patch: edit });
        return sent.ok ? answer(context, deviceId, 200) : sent.error;
      },
    },
    {
      method: 'delete',
      path: '/v1/devices/{id}',
      summary: 'Remove a device',
      access: 'signed-in',
      parameters: [ID, IDEMPOTENCY_HEADER],
      answers: { 204: { about: 'It is gone.' } },
      async handle(context) {
        const device = find(context);
        if (device === undefined) return unknownDevice(context);
        const { deviceId } = device.profile;
        const sent = await sendCommand(ports, context, { type: 'device-remove', deviceId });
        return sent.ok ? context.body(null, 204) : sent.error;
      },
    },
    {
      method: 'post',
      path: '/v1/devices/{id}/refresh',
      summary: 'Ask a device for its information; answers at once, or with wait=true when the device has answered',
      access: 'signed-in',
      parameters: [
        ID,
        { name: 'wait', in: 'query', about: `true waits for the outcome, ${REFRESH_WAIT_MS / 1000} s at most.` },
        IDEMPOTENCY_HEADER,
      ],
      body: { mediaType: 'application/json', schema: refreshBody, need: 'optional' },
      answers: { 200: { ...one, about: 'The device with its new information (wait=true).' }, 202: one },
      async handle(context) {
        const device = find(context);
        if (device === undefined) return unknownDevice(context);
        const isAwaited = flagIn(context, 'wait');
        if (!isAwaited.ok) return isAwaited.error;
        const body = await readJson(context, refreshBody, BODY_BYTES_MAX);
        if (!body.ok) return body.error;
        const { deviceId } = device.profile;
        const { when } = body.value;
        const outcome = refreshOutcome(ports, deviceId);
        try {
          const sent = await sendCommand(ports, context, { type: 'device-refresh', deviceId, when });
          if (!sent.ok) return sent.error;
          if (!isAwaited.value || when !== 'now') return answer(context, deviceId, 202);
          const ended = await outcome.promise;
          return ended.ok ? answer(context, deviceId, 200) : problemResponse(ended);
        } finally {
          outcome.stop();
        }
      },
    },
  ];
}

type RefreshOutcome = { ok: true } | { ok: false; status: number; code: string; detail: string };

/** Listens from before the question on, so that a quick answer is not missed. */
function refreshOutcome(ports: { runtime: Runtime; clock: Clock }, deviceId: DeviceId) {
  let stop = () => {};
  const promise = new Promise<RefreshOutcome>((resolve) => {
    const stopListening = ports.runtime.onCommitted((committed) => {
      const outcome = outcomeIn(committed, deviceId);
      if (outcome !== undefined) resolve(outcome);
    });
    const detail = `The device did not answer within ${REFRESH_WAIT_MS / 1000} s; look at it again later.`;
    const stopTimer = ports.clock.after(REFRESH_WAIT_MS, () =>
      resolve({ ok: false, status: 504, code: 'refresh-timeout', detail }),
    );
    stop = () => {
      stopListening();
      stopTimer();
    };
  });
  return { promise, stop: () => stop() };
}

function outcomeIn(committed: readonly Committed[], deviceId: DeviceId): RefreshOutcome | undefined {
  for (const { event } of committed) {
    if (!('deviceId' in event) || event.deviceId !== deviceId) continue;
    if (event.type === 'device-info-received') return { ok: true };
    if (event.type === 'device-info-failed') {
      return { ok: false, status: 502, code: 'refresh-failed', detail: event.reason };
    }
  }
  return undefined;
}

/** Only the fields that were sent: an absent one and one that is undefined are told apart. */
function toPatch(body: z.infer<typeof editedDeviceBody>): z.infer<typeof devicePatchSchema> {
  return {
    ...(body.server_url === undefined ? {} : { serverUrl: body.server_url }),
    ...(body.os === undefined ? {} : { os: body.os }),
    ...(body.capabilities === undefined ? {} : { capabilities: body.capabilities }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
    ...(body.auto_connect === undefined ? {} : { autoConnect: body.auto_connect }),
    ...(body.max_retries === undefined ? {} : { maxRetries: body.max_retries }),
  };
}

export function unknownDevice(context: ApiContext): Response {
  const id = (context.req.param('id') ?? '').slice(0, 100);
  const detail = `There is no device "${id}"; GET /v1/devices lists them.`;
  return problemResponse({ status: 404, code: 'device-unknown', detail });
}
