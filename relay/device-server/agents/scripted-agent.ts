import type { TaskAgent, TaskOutcome } from '@/lib/aip/endpoints/task-agent';
import { answerRound, beginTask, commandsDue, type Ended, receiveTask, toolTypeOf } from '@/lib/device/session-machine';

/** An agent without a model: the request itself says which commands run, round by round. */
export const scriptedAgent: TaskAgent = {
  async run({ request, execute, report, cancellation }) {
    let session = beginTask(receiveTask(request));
    while (session.phase === 'commanding' && !cancellation.isCancelled) {
      const commands = commandsDue(session).map(({ toolName, parameters }) => ({
        toolName,
        parameters,
        toolType: toolTypeOf(toolName),
      }));
      session = answerRound(session, await execute(commands));
      const last = session.reports.at(-1);
      if (last) report(last);
    }
    if (session.phase === 'ended') return toOutcome(session);
    return { status: 'failed', result: [...session.reports], error: 'The task was cancelled between two rounds' };
  },
};

function toOutcome({ status, reports, error }: Ended): TaskOutcome {
  return { status, result: [...reports], ...(error !== undefined && { error }) };
}
