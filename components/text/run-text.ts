import type { DependencyType } from '@/lib/constellation/task-star';
import type { DisplayState } from '@/lib/run/display-state';
import type { RunWord } from '@/lib/store/selectors/run-overview';
import type { DeviceReach, TaskView } from '@/lib/store/selectors/run-view';

const state: Record<DisplayState, string> = {
  pending: 'pending',
  waiting: 'waiting',
  dispatching: 'dispatching',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  'timed-out': 'timed out',
  cancelling: 'cancelling',
  cancelled: 'cancelled',
  skipped: 'skipped',
  unknown: 'unknown',
};

const reach: Record<DeviceReach, string> = {
  online: 'online',
  reconnecting: 'reconnecting',
  offline: 'offline',
  unknown: 'no such device here',
  unnamed: 'no device',
};

const line: Record<DependencyType, string> = {
  unconditional: 'after it ends, however it ends',
  completion_only: 'after it ends, whatever came out',
  success_only: 'after it succeeds',
  conditional: 'if the condition holds',
};

/** As plans write them, for whoever knows those words. */
const lineKind: Record<DependencyType, string> = {
  unconditional: 'unconditional',
  completion_only: 'completion only',
  success_only: 'success only',
  conditional: 'conditional',
};

const numberOrNothing = (amount: number) => (amount === 0 ? 'nothing' : String(amount));

const canvas = {
  label: 'Graph of tasks',
  tries: (view: Pick<TaskView, 'tryNumber' | 'triesMax'>) =>
    view.tryNumber > view.triesMax ? `try ${view.tryNumber}` : `${view.tryNumber}/${view.triesMax}`,
  taskLabel: (view: TaskView) =>
    [
      view.name,
      view.deviceName === null ? state[view.state] : `${state[view.state]} on ${view.deviceName}`,
      ...(view.tryNumber > 0 ? [`try ${view.tryNumber}`] : []),
    ].join(', '),
  taskDescription: (view: TaskView) =>
    `waits for ${numberOrNothing(view.waitsForCount)}, feeds ${numberOrNothing(view.feedsCount)}`,
  deviceTitle: (view: TaskView) =>
    view.deviceName === null ? reach[view.deviceReach] : `${view.deviceName}: ${reach[view.deviceReach]}`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Fit the whole graph (F)',
  condition: (condition: string) => (condition === '' ? 'Conditional' : `If: ${condition}`),
  legend: 'What the lines mean',
  legendLine: (kind: DependencyType) => `${lineKind[kind]}: ${line[kind]}`,
  legendNotTaken: 'will not be taken any more',
};

const word: Record<RunWord, string> = {
  draft: 'draft',
  running: 'running',
  cancelling: 'cancelling',
  completed: 'completed',
  'partly-failed': 'partly failed',
  failed: 'failed',
  cancelled: 'cancelled',
};

const counted = (amount: number, one: string, many: string) => `${amount} ${amount === 1 ? one : many}`;
const tasks = (amount: number) => counted(amount, 'task', 'tasks');

const page = {
  loading: 'Loading the run',
  missingTitle: 'There is no such run',
  missing: 'The link may be cut short, or the run was removed. All runs that exist are in the list.',
  toRuns: 'Go to the runs',
  broken: (reason: string) => `The copy of this run cannot be kept (${reason}). Reload the page.`,
  title: (name: string, state: string, failed: number) =>
    `${failed > 0 ? `(${failed} failed) ` : ''}${state} - ${name}`,
  launch: 'Launch',
  cancelRun: 'Cancel run',
  exportJson: 'Export JSON',
  elapsed: 'Elapsed',
  unnamed: 'Unnamed run',
  facts: (by: string, when: string) => `by ${by}, ${when}`,
  counts: 'Tasks by state',
  launched: 'Launched',
  created: 'Created',
  ended: 'Ended',
  constellation: 'Constellation',
  run: 'Run',
};

const cancelDialog = {
  title: (name: string) => `Cancel "${name}"?`,
  running: (amount: number) =>
    amount === 0
      ? 'No task is on a device now. Nothing new will be started.'
      : `${tasks(amount)} on a device will be asked to stop. Nothing new will be started.`,
  stock: 'A device that does not know how to stop a task may still finish the command that it is at.',
  reason: 'Reason (optional)',
  keep: 'Keep it running',
  confirm: 'Stop everything',
};

const panel = {
  label: 'Details',
  resize: 'Width of the details',
  overview: 'Tasks of the run',
  tasks: 'Tasks',
  notFound: 'This task is not part of the run.',
  failuresTitle: (amount: number) => (amount === 1 ? '1 task failed' : `${amount} tasks failed`),
  skipped: (amount: number) => `${tasks(amount)} behind will not run`,
  retryFromHere: 'Retry from here',
  open: 'Open',
  copyReport: 'Copy report',
  warnings: (amount: number) => `Warnings of the import (${amount})`,
  stepHint: 'n and p go through them.',
  notReady: 'Not ready to launch',
  withoutDevice: (amount: number) =>
    `${tasks(amount)} ${amount === 1 ? 'has' : 'have'} no device that is here. Open each and choose one, or add the device that it names.`,
  launchFault: (deviceName: string | null) =>
    deviceName === null ? 'no device named' : `on ${deviceName}, which is not here`,
  moreFaults: (amount: number) => `and ${amount} more`,
  launchBlocked: (names: readonly string[], amount: number) =>
    `Not ready to launch: ${names.join(', ')}${amount > names.length ? ` and ${amount - names.length} more` : ''} ${amount === 1 ? 'has' : 'have'} no device that is here.`,
  cancelAsked: (by: string, age: string) => `Cancelled by ${by}, ${age} ago`,
  cancelReason: (reason: string) => `Reason: ${reason}`,
  columns: { task: 'Task', state: 'State', device: 'Device', time: 'Time' },
};

const task = {
  close: 'Back to the tasks (Escape)',
  id: 'Task id',
  description: 'Description',
  noDescription: 'No description.',
  tips: 'Tips for completion',
  device: 'Device',
  noDevice: 'No device',
  deviceOption: (id: string, status: string) => `${id} - ${status}`,
  unknownDevice: (name: string) => `${name} - no such device here`,
  sameDevice: 'Used when the task is retried.',
  placing: 'Where the task will run.',
  dispatch: 'Dispatch',
  cancel: 'Cancel task',
  retry: 'Retry',
  why: 'Why it is not running',
  goTo: 'Go to it',
  dependsOn: 'Depends on',
  feeds: 'Feeds',
  nothing: 'Nothing',
  result: 'Result',
  round: (number: number) => `Round ${number}`,
  request: 'Request',
  evaluation: 'Evaluation',
  complete: 'Complete',
  reason: 'Reason',
  scores: 'Scores',
  rest: 'More',
  nullResult: 'It returned nothing.',
  emptyResult: 'It returned an empty list.',
  output: 'Whole output',
  showAll: (size: string) => `Show all (${size})`,
  largeResult: (size: string) => `The result is large (${size}) and is kept beside the journal.`,
  download: 'Download',
  error: 'Error',
  unknownOutcome:
    'The connection was lost while the task was on the device. It may have finished there; nobody here knows. Retry runs it again.',
  attempts: 'Attempts',
  attempt: (number: number) => `Try ${number}`,
  attemptsNone: 'Not tried yet.',
  stray: (outcome: string, at: string) => `Came too late and was not applied: ${outcome}, ${at}`,
  cancelling: (age: string) => `Asked to stop ${age} ago. The device may still finish the command that it is at.`,
  plan: 'Plan',
  priority: 'Priority',
  priorities: { 1: 'low', 2: 'medium', 3: 'high', 4: 'critical' },
  timeout: 'Time limit',
  noTimeout: 'none',
  retries: 'Retries in the plan',
  expectedOutput: 'Expected output',
  started: 'Started',
  ended: 'Ended',
  took: 'Took',
  queued: 'queued',
  phase: {
    queued: 'queued',
    sending: 'sending',
    accepted: 'on the device',
    cancelling: 'cancelling',
    ended: 'ended',
    lost: 'lost',
  },
  outcome: { completed: 'completed', failed: 'failed', cancelled: 'cancelled' },
  by: (actor: string) => `by ${actor}`,
};

const output = {
  title: 'Output',
  label: 'Output of the task',
  none: 'No output yet.',
  notLive: 'This device server does not send output while a task runs.',
  leftOut: (amount: number) =>
    amount === 1 ? '1 earlier line is left out.' : `${amount.toLocaleString('en')} earlier lines are left out.`,
  toEnd: 'Jump to latest',
};

const list = {
  title: 'Runs',
  newRun: 'New run',
  emptyTitle: 'No runs yet',
  empty:
    'A run executes a constellation: tasks on devices, and the lines between them. Begin with New run, where examples are at hand.',
  loading: 'Loading the runs',
  columns: {
    state: 'State',
    name: 'Name',
    tasks: 'Tasks',
    by: 'Started by',
    when: 'When',
    duration: 'Duration',
  },
  taskCount: tasks,
  counts: (counts: { completed: number; failed: number; running: number; taskCount: number }) =>
    [
      `${counts.completed} of ${counts.taskCount} completed`,
      ...(counts.running > 0 ? [`${counts.running} running`] : []),
      ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
    ].join(', '),
  failure: (name: string, error: string) => `${name}: ${error}`,
  filter: 'Filter by name',
  noMatch: (filter: string, all: number) => `None of the ${all} runs has "${filter}" in its name.`,
  clear: 'Clear the filter',
  more: (amount: number) => `Show ${amount} more`,
};

const create = {
  title: 'New run',
  json: 'Constellation JSON',
  hint: 'Drop a file anywhere on this page, choose one, or paste its text.',
  choose: 'Choose a file',
  examples: 'Examples',
  exampleFailed: (name: string) => `The example ${name} could not be loaded. Try again.`,
  clear: 'Clear',
  drop: 'Drop the file to read it',
  fileTooLarge: (name: string, size: string, max: string) =>
    `${name} has ${size}; a page can hold at most ${max}. Send it to the API instead.`,
  oneFile: (amount: number) => `${amount} files were dropped, and one run is made from one file. Drop one of them.`,
  fileNotText: (name: string) => `${name} is not a text file.`,
  waiting: 'The result of the check and a preview of the graph appear here.',
  problems: 'Problems',
  problemsTitle: (amount: number) => `${counted(amount, 'problem', 'problems')}: nothing can be created from this`,
  warnings: 'Warnings',
  warningsTitle: (amount: number) => counted(amount, 'warning', 'warnings'),
  valid: (name: string, taskCount: number, lines: number) =>
    `${name}: ${tasks(taskCount)}, ${counted(lines, 'line', 'lines')}`,
  draft: 'Create draft',
  launch: 'Create and launch',
  checking: 'The text has changed and is being checked.',
  moreWarnings: (amount: number) => `and ${amount} more, which the draft will list`,
  draftFirst: 'A draft can be made now; its tasks can be placed there.',
  preview: 'Preview',
  notCreated: 'Not created',
  tooLarge: (size: string, detail: string) => `the text has ${size}, which is more than the relay takes. ${detail}`,
  place: (path: string) => (path === '' ? 'The file' : path),
  noTasks: 'The constellation has no task.',
  offline: 'Not connected to the relay. This becomes available when the connection is back.',
};

const verdict = {
  refused: (message: string) => `Refused: ${message}`,
};

/** Visible text of runs: list, graph, inspector, import. */
export const runText = {
  state,
  reach,
  line,
  canvas,
  word,
  page,
  cancelDialog,
  panel,
  task,
  output,
  list,
  create,
  verdict,
};
