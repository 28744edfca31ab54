import type { RunCommandType } from '@/lib/run/commands';
import type { RunId, TaskId } from '@/lib/std/ids';
import type { BoardState } from '@/lib/store/board-state';

export type PendingTarget = {
  readonly type: RunCommandType;
  readonly runId: RunId;
  /** Left out for commands to a whole run. */
  readonly taskId?: TaskId;
};

/** Whether such a command of this page is on its way: sent, and its outcome not on the screen yet. */
export function isPendingFor(board: Pick<BoardState, 'pending'>, target: PendingTarget): boolean {
  for (const { command } of board.pending.values()) {
    if (command.type !== target.type || command.runId !== target.runId) continue;
    if (target.taskId === undefined || ('taskId' in command && command.taskId === target.taskId)) return true;
  }
  return false;
}
