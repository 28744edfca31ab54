import type { FleetEvent } from '@/lib/fleet/events';
import type { RunEvent } from '@/lib/run/events';
import type { RunsEvent } from '@/lib/run/run-summary';
import type { StreamEvent } from './down';

export function isFleetEvent(event: StreamEvent): event is FleetEvent {
  return event.type.startsWith('device-');
}

export function isRunsEvent(event: StreamEvent): event is RunsEvent {
  return event.type === 'run-summarised';
}

export function isRunEvent(event: StreamEvent): event is RunEvent {
  return !isFleetEvent(event) && !isRunsEvent(event);
}
