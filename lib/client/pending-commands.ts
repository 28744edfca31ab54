import type { CancelTimer, Clock } from '@/lib/std/clock';
import type { CommandId } from '@/lib/std/ids';
import type { CommandVerdict } from './command-verdict';

/** After this long without an answer a command's outcome is told as unknown. The relay refuses it as expired from then on. */
export const COMMAND_ANSWER_MS = 30_000;

type Waiting = {
  readonly text: string;
  readonly sentAtMs: number;
  readonly settle: (verdict: CommandVerdict) => void;
  readonly cancelTimer: CancelTimer;
  isSentTwice: boolean;
};

/** Commands that were sent and not answered. Each is settled exactly once. */
export type PendingCommands = {
  readonly size: number;
  add(commandId: CommandId, text: string): Promise<CommandVerdict>;
  settle(commandId: CommandId, verdict: CommandVerdict): void;
  /** After a new welcome: hands out, once each, the texts whose answer may have been lost with the old socket. */
  takeUnanswered(): readonly string[];
  /** The page goes away: what is still open has an unknown outcome. */
  close(): void;
};

export function createPendingCommands(clock: Clock): PendingCommands {
  const waiting = new Map<CommandId, Waiting>();

  function settle(commandId: CommandId, verdict: CommandVerdict): void {
    const command = waiting.get(commandId);
    if (command === undefined) return;
    waiting.delete(commandId);
    command.cancelTimer();
    command.settle(verdict);
  }

  return {
    get size() {
      return waiting.size;
    },
    add(commandId, text) {
      return new Promise((resolve) => {
        const cancelTimer = clock.after(COMMAND_ANSWER_MS, () => settle(commandId, { status: 'unknown' }));
        waiting.set(commandId, { text, sentAtMs: clock.now(), settle: resolve, cancelTimer, isSentTwice: false });
      });
    },
    settle,
    takeUnanswered() {
      const texts: string[] = [];
      for (const command of waiting.values()) {
        if (command.isSentTwice || clock.now() - command.sentAtMs >= COMMAND_ANSWER_MS) continue;
        command.isSentTwice = true;
        texts.push(command.text);
      }
      return texts;
    },
    close() {
      for (const commandId of [...waiting.keys()]) settle(commandId, { status: 'unknown' });
    },
  };
}
