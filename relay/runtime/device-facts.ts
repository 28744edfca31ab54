import type { Device } from '@/lib/fleet/device';
import type { FleetEvent } from '@/lib/fleet/events';
import { assertNever } from '@/lib/std/assert-never';
import { recordOf } from '@/relay/links/info-record';
import type { DeviceFact } from '@/relay/links/link-host';

/** A profile has a few hundred bytes; one of another size is not kept in the journal again and again. */
const INFO_BYTES_MAX = 65_536;

/** What a link says of its device, as events; none for what is known already. */
export function eventsOfFact(device: Device, fact: DeviceFact, nowMs: number): readonly FleetEvent[] {
  const { deviceId } = device.profile;
  switch (fact.type) {
    case 'status': {
      const { status, reason, connectionAttempts } = fact;
      if (device.status === status && device.statusReason === reason) return [];
      return [{ type: 'device-status-changed', atMs: nowMs, deviceId, status, reason, connectionAttempts }];
    }
    case 'work': {
      const { currentTask } = fact;
      const known = device.currentTask;
      if (known?.runId === currentTask?.runId && known?.taskId === currentTask?.taskId) return [];
      return [{ type: 'device-work-changed', atMs: nowMs, deviceId, currentTask }];
    }
    case 'info': {
      const sizeBytes = Buffer.byteLength(JSON.stringify(fact.info));
      if (sizeBytes > INFO_BYTES_MAX) {
        const reason = `the device information has ${sizeBytes} bytes, more than the ${INFO_BYTES_MAX} that are kept`;
        return eventsOfFact(device, { type: 'info-failed', reason }, nowMs);
      }
      const record = recordOf(device.info, { ...fact, nowMs });
      const isAwaited = device.refresh.phase === 'asked' || device.refresh.phase === 'waiting-for-return';
      const isKnown = device.info?.collectedAtMs === record.collectedAtMs && device.info.origin === record.origin;
      return isKnown && !isAwaited ? [] : [{ type: 'device-info-received', atMs: nowMs, deviceId, ...record }];
    }
    case 'info-failed':
      if (device.refresh.phase !== 'asked') return [];
      return [{ type: 'device-info-failed', atMs: nowMs, deviceId, reason: fact.reason }];
    default:
      return assertNever(fact);
  }
}

/** What must be said of a device after a start: no link stands yet, and nobody waits for an answer of the old process. */
export function eventsAfterStart(device: Device, nowMs: number): readonly FleetEvent[] {
  const { autoConnect } = device.profile;
  const reason = autoConnect ? 'the relay has just started' : 'not connected on purpose';
  return [
    ...eventsOfFact(
      device,
      { type: 'info-failed', reason: 'the relay was started again before the answer came' },
      nowMs,
    ),
    ...eventsOfFact(device, { type: 'work', currentTask: null }, nowMs),
    ...eventsOfFact(device, { type: 'status', status: 'disconnected', reason, connectionAttempts: 0 }, nowMs),
  ];
}
