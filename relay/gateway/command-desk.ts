import type { DownFrame } from '@/lib/relay-protocol/down';
import { COMMAND_RATE, COMMANDS_UNANSWERED_MAX } from '@/lib/relay-protocol/timing';
import type { UpFrame } from '@/lib/relay-protocol/up';
import type { Refusal } from '@/lib/run/commands';
import type { CommandId } from '@/lib/std/ids';
import { may } from '@/relay/auth/may';
import type { Actor, Runtime, Verdict } from '@/relay/runtime/runtime-port';
import { TokenBucket } from './token-bucket';

type CommandFrame = Extract<UpFrame, { type: 'command' }>;

type DeskOptions = {
  readonly runtime: Runtime;
  readonly nowMs: number;
  readonly push: (frame: DownFrame) => void;
  /** The writer threw: whether the command was done is not known. */
  readonly onFault: (cause: unknown) => void;
};

/** Takes the commands of one browser to the writer and brings back one result for each. */
export class CommandDesk {
  readonly #options: DeskOptions;
  readonly #unanswered = new Set<CommandId>();
  readonly #rate: TokenBucket;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#rate = new TokenBucket(COMMAND_RATE, options.nowMs);
  }

  async take(frame: CommandFrame, actor: Actor, nowMs: number): Promise<void> {
    const { commandId, command, deadlineMs } = frame;
    // The answer to the first frame is on its way; a second one would be one answer too many.
    if (this.#unanswered.has(commandId)) return;
    const allowed = may(actor, command.type);
    if (!allowed.ok) return this.#reject(commandId, allowed.error);
    const isTooMuch = this.#unanswered.size >= COMMANDS_UNANSWERED_MAX || this.#rate.take(nowMs) < 0;
    if (isTooMuch) return this.#reject(commandId, TOO_MANY_COMMANDS);
    this.#unanswered.add(commandId);
    try {
      const deadline = deadlineMs === undefined ? {} : { deadlineMs };
      this.#answer(commandId, await this.#options.runtime.submit({ commandId, actor, command, ...deadline }));
    } catch (cause) {
      this.#options.onFault(cause);
    } finally {
      this.#unanswered.delete(commandId);
    }
  }

  #reject(commandId: CommandId, refusal: Refusal): void {
    this.#answer(commandId, { status: 'rejected', refusal });
  }

  #answer(commandId: CommandId, verdict: Verdict): void {
    const outcome: Extract<DownFrame, { type: 'result' }>['outcome'] =
      verdict.status === 'rejected'
        ? { status: 'rejected', refusal: verdict.refusal }
        : { status: verdict.status, positions: [...verdict.positions] };
    this.#options.push({ type: 'result', commandId, outcome });
  }
}

const TOO_MANY_COMMANDS: Refusal = {
  code: 'not-allowed',
  message: `At most ${COMMAND_RATE.perSecond * 10} commands in 10 s and ${COMMANDS_UNANSWERED_MAX} unanswered ones; wait a moment and try again.`,
};
