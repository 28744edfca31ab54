import type { FleetCommand } from '@/lib/fleet/commands';
import type { DeviceId } from '@/lib/std/ids';
import type { BoardState } from '@/lib/store/board-state';

/** Whether such a command of this page is on its way to the fleet: sent, and its outcome not on the screen yet. */
export function isPendingForDevice(
  board: Pick<BoardState, 'pending'>,
  deviceId: DeviceId,
  type: Exclude<FleetCommand['type'], 'device-add'>,
): boolean {
  for (const { command } of board.pending.values()) {
    if (command.type === type && command.deviceId === deviceId) return true;
  }
  return false;
}
