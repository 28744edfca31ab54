import { assertNever } from '@/lib/std/assert-never';
import type { RunCommand, RunReport, RunStep } from './commands';
import { decideReport } from './decide-report';
import { decideRetry } from './decide-retry';
import { decideRunCancel, decideRunEnd, decideRunLaunch } from './decide-run';
import { decideTaskCancel, decideTaskDispatch, decideTaskPlace, decideTaskSkip } from './decide-task';
import { type Decision, type RunContext, refused } from './decision';
import type { Run } from './run';

/** Everything that a run can be told: by people and the API, by the planner, by device links. */
export type RunInput = RunCommand | RunStep | RunReport;

/**
 * Says what an input causes, or why not. The only way to an event, whoever asks.
 *
 * @param run - undefined when no run has the id that the input names
 */
export function decideRun(run: Run | undefined, input: RunInput, context: RunContext): Decision {
  if (run === undefined || run.runId !== input.runId) {
    return refused('run-unknown', `There is no run ${input.runId}; it may have been deleted.`);
  }
  switch (input.type) {
    case 'run-launch':
      return decideRunLaunch(run, context);
    case 'run-cancel':
      return decideRunCancel(run, input, context);
    case 'run-end':
      return decideRunEnd(run, context);
    case 'task-place':
      return decideTaskPlace(run, input, context);
    case 'task-dispatch':
      return decideTaskDispatch(run, input, context);
    case 'task-cancel':
      return decideTaskCancel(run, input, context);
    case 'task-skip':
      return decideTaskSkip(run, input, context);
    case 'task-retry':
      return decideRetry(run, input, context);
    case 'attempt-sending':
    case 'attempt-accepted':
    case 'attempt-ended':
    case 'attempt-lost':
      return decideReport(run, input, context);
    default:
      return assertNever(input);
  }
}
