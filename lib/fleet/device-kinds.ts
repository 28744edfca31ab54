/** What a device is, as far as an icon, a word and a first guess at its abilities go. */
export const DEVICE_KINDS = ['windows', 'linux', 'android', 'macos', 'ios', 'web', 'unknown'] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

export type DeviceKindFacts = {
  readonly word: string;
  /** Offered when an operator adds a device of this kind; the device's own list is added once it is known. */
  readonly defaultCapabilities: readonly string[];
};

export const DEVICE_KIND_FACTS: Record<DeviceKind, DeviceKindFacts> = {
  windows: { word: 'Windows', defaultCapabilities: ['gui', 'cli', 'browser', 'file_system', 'office'] },
  linux: { word: 'Linux', defaultCapabilities: ['cli', 'file_system'] },
  android: { word: 'Android', defaultCapabilities: ['gui', 'apps'] },
  macos: { word: 'macOS', defaultCapabilities: ['gui', 'cli', 'browser', 'file_system'] },
  ios: { word: 'iOS', defaultCapabilities: ['gui', 'apps'] },
  web: { word: 'Web', defaultCapabilities: ['browser'] },
  unknown: { word: 'Unknown system', defaultCapabilities: [] },
};

/** How systems name themselves: Node's `process.platform`, Python's `platform.system()`, and people. */
const OTHER_NAMES: ReadonlyMap<string, DeviceKind> = new Map([
  ['win32', 'windows'],
  ['win', 'windows'],
  ['darwin', 'macos'],
  ['mac', 'macos'],
  ['osx', 'macos'],
  ['mac os', 'macos'],
  ['mac os x', 'macos'],
  ['ipados', 'ios'],
  ['browser', 'web'],
]);

/** @param os - free text, in any letter case, such as the `platform` of the device's own telling */
export function deviceKindOf(os: string): DeviceKind {
  const name = os.trim().toLowerCase();
  return DEVICE_KINDS.find((kind) => kind === name) ?? OTHER_NAMES.get(name) ?? 'unknown';
}
