import type { ProfileSource } from '@/lib/fleet/merge-profile';
import type { ConnectionWord } from '@/lib/store/selectors/fleet-view';

const connection: Record<ConnectionWord, string> = {
  online: 'online',
  connecting: 'connecting',
  offline: 'offline',
  failed: 'failed',
};

const counted = (amount: number, one: string, many: string) => `${amount} ${amount === 1 ? one : many}`;
const devices = (amount: number) => counted(amount, 'device', 'devices');

const list = {
  label: 'Devices',
  summary: (all: number, online: number, busy: number) => `${devices(all)}, ${online} online, ${busy} busy`,
  filter: 'Filter devices',
  filterHint: 'id, system, capability, online, busy',
  columns: {
    select: 'Select',
    device: 'Device',
    connection: 'Connection',
    work: 'Work',
    info: 'Info age',
    capabilities: 'Capabilities',
    actions: 'Actions',
  },
  selectAll: 'Select all devices in the list',
  selectOne: (deviceId: string) => `Select ${deviceId}`,
  emptyTitle: 'No devices yet',
  empty:
    'Add a device by the address of its device server, or import the devices.yaml of a constellation that you have.',
  noMatchTitle: 'No device matches the filter',
  noMatch: (all: number) => `All ${devices(all)} are hidden by the filter.`,
  clearFilter: 'Clear the filter',
  add: 'Add device',
  import: 'Import devices',
  more: (amount: number) => `and ${amount} more`,
};

const facts = {
  connection,
  since: (age: string) => `for ${age}`,
  away: (age: string) => `away for ${age}`,
  busyWith: (taskId: string) => `busy with ${taskId}`,
  idle: 'idle',
  noWork: 'none',
  never: 'never',
  age: (age: string) => `${age} ago`,
  atRegistration: 'at registration',
  askedAgo: (age: string) => `asked ${age} ago`,
  asksOnReturn: 'asks when it returns',
  refreshFailed: 'refresh failed',
};

const refresh = {
  now: 'Refresh information',
  onReturn: 'Refresh when it returns',
  waiting: 'Is asked as soon as it returns',
  busy: (age: string, by: string) => `Asked ${age} ago by ${by}; the values below are from before.`,
  queued: (age: string, by: string) =>
    `The device is away. ${by} asked for a refresh ${age} ago; the device is asked as soon as it returns.`,
  offline: 'The device is offline, so it cannot be asked now. What you see is what it last said.',
  failed: (age: string, reason: string) => `The refresh of ${age} ago failed: ${reason}`,
  unchanged: 'The device answered: nothing has changed.',
  changed: (amount: number) => `The device answered: ${counted(amount, 'value has', 'values have')} changed.`,
  selected: (amount: number) => `${devices(amount)} selected`,
  progress: (done: number, all: number) => `Asked ${done} of ${all}`,
  refusals: (amount: number) => `${devices(amount)} could not be asked:`,
  clear: 'Clear the selection',
};

const form = {
  addTitle: 'Add device',
  editTitle: (deviceId: string) => `Edit ${deviceId}`,
  add: 'Add',
  save: 'Save',
  id: 'Device id',
  idMissing: 'Enter the id of the device',
  serverUrlMissing: 'Enter the address of its device server',
  idHint: 'As the device registers at its server: letters, digits, ".", "_" and "-".',
  serverUrl: 'Server address',
  serverUrlHint:
    'Such as ws://192.168.1.20:5000/ws?token=... The secret part is sealed on entry and never shown again.',
  serverUrlEditHint:
    'The secret part is kept and not shown. Another host needs the whole address again, with its secret.',
  os: 'Operating system',
  osHint: 'linux, windows, macos, android, ios, web or another word.',
  capabilities: 'Capabilities',
  capabilitiesHint: 'Press Enter after each.',
  addCapability: (name: string) => `Add capability ${name}`,
  removeCapability: (name: string) => `Remove capability ${name}`,
  suggested: 'Usual:',
  metadata: 'Metadata',
  metadataHint: 'Free facts about the device, such as where it stands.',
  metadataNotObject: 'Expected a JSON object such as {"location": "lab"}',
  asPairs: 'Pairs',
  asJson: 'JSON',
  metadataForm: 'Form of the metadata',
  key: 'Name',
  value: 'Value',
  addPair: 'Add a pair',
  removePair: (key: string) => `Remove ${key === '' ? 'the pair' : key}`,
  twiceKey: (key: string) => `The name "${key}" stands twice`,
  autoConnect: 'Connect automatically',
  autoConnectHint: 'When Orrery starts and after a loss of the connection.',
  maxRetries: 'Retries before it counts as failed',
  maxRetriesHint: 'A failed device is tried once a minute and takes no tasks until it answers.',
  maxRetriesNotNumber: 'Expected a whole number from 0 to 1000',
  notSaved: (detail: string) => `Not saved: ${detail}`,
};

const importDialog = {
  title: 'Import devices',
  how: 'Takes the devices.yaml of a stock constellation client. Devices that exist already are left as they are.',
  file: 'Choose a file',
  text: 'Contents of devices.yaml',
  submit: 'Import',
  emptyText: 'Choose a file, or paste its contents',
  fileFailed: (name: string) => `${name} could not be read`,
  added: (amount: number) => `${devices(amount)} added`,
  skipped: (amount: number) => `${devices(amount)} skipped`,
  failed: (detail: string) => `Nothing was imported: ${detail}`,
  problems: 'Problems',
};

const removeDialog = {
  title: (deviceId: string) => `Remove ${deviceId}?`,
  consequence: (deviceId: string) =>
    `Orrery closes its connection to ${deviceId} and forgets its address and secret. Runs that it took part in are kept.`,
  confirm: (deviceId: string) => `Remove ${deviceId}`,
};

const page = {
  back: 'All devices',
  missingTitle: (deviceId: string) => `There is no device ${deviceId}`,
  missing: 'It was removed, or the link is not complete.',
  edit: 'Edit',
  remove: 'Remove',
  reconnect: 'Reconnect',
  connection: 'Connection',
  server: 'Server address',
  status: 'State of the link',
  reason: 'Reason',
  since: 'In this state since',
  attempts: 'Attempts in a row',
  heard: 'Last heard',
  autoConnect: 'Connects automatically',
  maxRetries: 'Retries before failed',
  added: 'Added',
  yes: 'yes',
  no: 'no',
  work: 'Work',
};

const source: Record<ProfileSource, { readonly title: string; readonly about: string }> = {
  operator: { title: 'Operator', about: 'Said by whoever added or edited the device' },
  service: { title: 'Service', about: 'Said by its device server, from its own settings' },
  telemetry: { title: 'Telemetry', about: 'Said by the device itself' },
};

const profile = {
  title: 'Profile',
  source,
  nothing: 'nothing said',
  asked: 'Asked',
  collected: 'Collected',
  askedNever: 'never',
  registrationOnly: (age: string) => `at registration, first seen ${age} ago`,
  registrationWhy: 'This server hands out what the device said when it registered. It cannot ask the device again.',
};

const task = {
  title: 'Send a task',
  label: 'Task',
  hint: 'Lines in a row run together, a blank line starts the next round. Ctrl+Enter sends.',
  understands:
    'The built-in agent runs tools by name, or a command after "$ ". A device with another agent takes free text.',
  examples: ['$ echo hello', 'get_system_info', 'list_directory path=.', '$ df -h'],
  insert: (example: string) => `Insert: ${example}`,
  send: 'Send task',
  empty: 'Write a task first',
  offline: 'The device is not online. A task sent now waits until it returns.',
  notSent: (detail: string) => `Not sent: ${detail}`,
  sent: 'Task sent',
  openRun: 'Open the run',
  takeText: 'Use the text again',
  elapsed: 'Elapsed',
  noResult: 'The task returned nothing.',
  largeResult: (size: string) => `The result is large (${size}). Open the run to get it.`,
  loading: 'Waiting for the first news of the run',
  gone: 'This run is not there any more.',
  runName: (deviceId: string) => `Task for ${deviceId}`,
};

/** Visible text of devices: list, detail, forms. */
export const fleetText = {
  title: 'Devices',
  list,
  facts,
  refresh,
  form,
  importDialog,
  removeDialog,
  page,
  profile,
  task,
};
