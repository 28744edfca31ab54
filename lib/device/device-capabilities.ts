export type WhatIsThere = {
  /** Names of the built-in tools. */
  readonly builtinTools: readonly string[];
  /** How many commands may be run. */
  readonly commandCount: number;
  /** Servers of tools that are up. */
  readonly servers: readonly string[];
  readonly hasGpu: boolean;
  /** What the device's owner adds. */
  readonly added: readonly string[];
};

/** What a device can do, in the words that stock devices use where there are such words; each word once. */
export function capabilitiesOf(there: WhatIsThere): readonly string[] {
  const has = (tool: string) => there.builtinTools.includes(tool);
  const words = [
    ...(has('execute_command') && there.commandCount > 0 ? ['cli'] : []),
    ...(has('read_file') || has('write_file') ? ['file_system'] : []),
    ...(there.hasGpu ? ['gpu'] : []),
    ...there.servers,
    ...there.added,
  ];
  return [...new Set(words)];
}
