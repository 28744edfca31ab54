import { expect, test } from 'vitest';
import { aDevice } from '@/lib/fleet/testing/a-fleet';
import { toDeviceResource } from './device-resource';

test('times have the form of the run document, which is that of the reference', () => {
  const device = aDevice('linux-1', { statusSinceMs: Date.UTC(2026, 0, 2, 3, 4, 5) });

  const shown = toDeviceResource(device, { lastHeardAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 250), role: 'admin' });

  expect(shown.status_since).toBe('2026-01-02T03:04:05+00:00');
  expect(shown.last_heartbeat).toBe('2026-01-02T03:04:05.250000+00:00');
});
