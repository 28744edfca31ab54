import type { Fleet } from '@/lib/fleet/device';
import type { FleetEvent } from '@/lib/fleet/events';
import type { StreamEvent } from '@/lib/relay-protocol/down';
import type { RunEvent } from '@/lib/run/events';
import type { Run } from '@/lib/run/run';
import type { RunsEvent } from '@/lib/run/run-summary';
import type { RunList } from './board-state';
import type { StreamFold } from './stream-track';

/** One fold per kind of stream. */
export type BoardFolds = {
  readonly fleet: StreamFold<Fleet, FleetEvent>;
  readonly runList: StreamFold<RunList, RunsEvent>;
  readonly run: StreamFold<Run, RunEvent>;
};

export function isFleetEvent(event: StreamEvent): event is FleetEvent {
  return event.type.startsWith('device-');
}

export function isRunsEvent(event: StreamEvent): event is RunsEvent {
  return event.type === 'run-summarised';
}

export function isRunEvent(event: StreamEvent): event is RunEvent {
  return !isFleetEvent(event) && !isRunsEvent(event);
}
