import { err, ok, type Result } from '@/lib/std/result';

/**
 * What a command may be given.
 *
 * Every command of the default list only looks. Its rule refuses the options with which the same program writes, runs
 * other programs, changes the machine, or reads files whose names stand in a file.
 */
export type CommandRule = {
  /** Long options (`--output`) with all their abbreviations, and single letters (`o`) even inside a cluster (`-ro`). */
  readonly refusedOptions?: readonly string[];
  /** Letters whose value may be glued to them: what follows one in a cluster is no option (`-eERROR`). */
  readonly valueLetters?: string;
  /** Words that may not stand among the arguments; for programs whose options have one dash and many letters. */
  readonly refusedWords?: readonly string[];
  readonly operandsMax?: number;
  /** A last word on the arguments; answers what is wrong with them. */
  readonly refuse?: (args: readonly string[]) => string | undefined;
  /** Arguments may name files, which must not lead out of the root folder. */
  readonly touchesFiles?: true;
  /** A lone `/` is a separator here (`cut -d/`), not the topmost folder. */
  readonly slashIsText?: true;
  /** Exit codes that are an answer, not a failure: grep's 1 means that nothing matched. */
  readonly answerCodes?: readonly number[];
};

export type CommandPolicy = ReadonlyMap<string, CommandRule>;

const FILES: CommandRule = { touchesFiles: true };
const CHECKSUM: CommandRule = { touchesFiles: true, refusedOptions: ['c', '--check'] };
const HARMLESS: CommandRule = {};
const NO_OPERANDS: CommandRule = { operandsMax: 0 };

/** Commands that Linux and macOS share. */
const UNIX: Record<string, CommandRule> = {
  basename: HARMLESS,
  cat: FILES,
  cksum: { touchesFiles: true, refusedOptions: ['c', '--check'] },
  cmp: { touchesFiles: true, answerCodes: [1] },
  comm: FILES,
  cut: { touchesFiles: true, slashIsText: true },
  // -s and an operand without + set the clock, -f reads dates from a file.
  date: {
    touchesFiles: true,
    refusedOptions: ['s', 'f', '--set', '--file'],
    valueLetters: 'drIv',
    refuse: refuseClockSetting,
  },
  df: HARMLESS,
  dirname: HARMLESS,
  du: { touchesFiles: true, refusedOptions: ['L', '--dereference', '--files0-from'], valueLetters: 'dtBX' },
  echo: HARMLESS,
  false: HARMLESS,
  find: {
    touchesFiles: true,
    refusedWords: [
      '-delete',
      '-exec',
      '-execdir',
      '-files0-from',
      '-fls',
      '-follow',
      '-fprint',
      '-fprint0',
      '-fprintf',
      '-ok',
      '-okdir',
      '-L',
      '-f',
    ],
  },
  grep: {
    touchesFiles: true,
    refusedOptions: ['R', 'S', '--dereference-recursive'],
    valueLetters: 'efmABCdD',
    answerCodes: [1],
  },
  groups: HARMLESS,
  head: FILES,
  hostname: { operandsMax: 0, refusedOptions: ['F', 'b', '--file', '--boot'] },
  id: HARMLESS,
  ls: { touchesFiles: true, refusedOptions: ['L', '--dereference'], valueLetters: 'ITw' },
  nl: FILES,
  printenv: HARMLESS,
  printf: HARMLESS,
  // Environments of other processes hold secrets.
  ps: { refuse: refusePsEnvironment },
  pwd: HARMLESS,
  readlink: FILES,
  realpath: FILES,
  seq: HARMLESS,
  sleep: HARMLESS,
  // -o writes, -T writes temporary files elsewhere, --compress-program runs a program.
  sort: {
    touchesFiles: true,
    slashIsText: true,
    refusedOptions: ['o', 'T', '--output', '--temporary-directory', '--compress-program', '--files0-from'],
    valueLetters: 'ktS',
  },
  stat: FILES,
  tail: FILES,
  tr: HARMLESS,
  true: HARMLESS,
  uname: HARMLESS,
  // The second operand of uniq is a file that it writes.
  uniq: { touchesFiles: true, operandsMax: 1 },
  uptime: HARMLESS,
  wc: { touchesFiles: true, refusedOptions: ['--files0-from'] },
  who: NO_OPERANDS,
  whoami: HARMLESS,
};

const LINUX: Record<string, CommandRule> = {
  ...UNIX,
  arch: HARMLESS,
  free: HARMLESS,
  lsblk: NO_OPERANDS,
  lscpu: HARMLESS,
  md5sum: CHECKSUM,
  nproc: HARMLESS,
  sha1sum: CHECKSUM,
  sha256sum: CHECKSUM,
  sha512sum: CHECKSUM,
  tac: FILES,
  vmstat: HARMLESS,
};

const MACOS: Record<string, CommandRule> = {
  ...UNIX,
  arch: NO_OPERANDS, // with operands it runs them
  md5: FILES,
  shasum: CHECKSUM,
  sw_vers: HARMLESS,
  vm_stat: HARMLESS,
};

/** On Windows most of the usual words are built into the shell, and there is no shell. */
const WINDOWS: Record<string, CommandRule> = {
  findstr: { touchesFiles: true, answerCodes: [1] },
  hostname: NO_OPERANDS,
  systeminfo: NO_OPERANDS,
  tasklist: NO_OPERANDS,
  whoami: HARMLESS,
};

/**
 * The commands of a platform plus those that the device's owner named.
 *
 * @param added - allowed without limits on their arguments: their owner has decided
 */
export function commandPolicyOf(platform: NodeJS.Platform, added: readonly string[]): CommandPolicy {
  const base = platform === 'win32' ? WINDOWS : platform === 'darwin' ? MACOS : LINUX;
  return new Map([...Object.entries(base), ...added.map((name): [string, CommandRule] => [name, HARMLESS])]);
}

/** Base commands are names, never paths; they are looked up in fixed folders. */
export const COMMAND_NAME = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$/;

/** Says whether a command may run with these arguments; whether its files lie in the root is another question. */
export function checkCommand(
  policy: CommandPolicy,
  command: string,
  args: readonly string[],
): Result<CommandRule, string> {
  const rule = policy.get(command);
  if (!rule) return err(unknownCommand(policy, command));
  const refused = refusedArgument(rule, args) ?? rule.refuse?.(args);
  return refused === undefined ? ok(rule) : err(`${command} may not be run this way: ${refused}`);
}

function unknownCommand(policy: CommandPolicy, command: string): string {
  const shown = JSON.stringify(command.length > 60 ? `${command.slice(0, 60)}…` : command);
  const problem = COMMAND_NAME.test(command) ? 'is not on the list of this device' : 'is no command name';
  const names = [...policy.keys()].sort().join(', ');
  return `The command ${shown} ${problem}; it may run ${names}. The owner of the device adds others with --allow`;
}

function refusedArgument(rule: CommandRule, args: readonly string[]): string | undefined {
  const operands: string[] = [];
  let isAfterOptions = false;
  for (const arg of args) {
    if (isAfterOptions || !arg.startsWith('-') || arg === '-') operands.push(arg);
    else if (arg === '--') isAfterOptions = true;
    else if (rule.refusedOptions?.some((option) => isOption(arg, option, rule.valueLetters)))
      return `${arg} is not allowed`;
    if (rule.refusedWords?.includes(arg)) return `${arg} is not allowed`;
  }
  if (rule.operandsMax !== undefined && operands.length > rule.operandsMax) {
    return `it takes at most ${rule.operandsMax} argument(s) besides options here, got ${operands.length}`;
  }
  return undefined;
}

function isOption(arg: string, option: string, valueLetters = ''): boolean {
  if (option.startsWith('--')) {
    const name = arg.split('=', 1)[0] ?? arg;
    return name.length > 2 && name.startsWith('--') && option.startsWith(name);
  }
  if (arg.startsWith('--')) return false;
  for (const letter of arg.slice(1)) {
    if (letter === option) return true;
    if (valueLetters.includes(letter)) return false;
  }
  return false;
}

function refuseClockSetting(args: readonly string[]): string | undefined {
  const setting = args.find((arg, index) => {
    const isValue = ['-d', '--date', '-r', '--reference'].includes(args[index - 1] ?? '');
    return !isValue && !arg.startsWith('+') && !arg.startsWith('-');
  });
  return setting === undefined ? undefined : `${JSON.stringify(setting.slice(0, 60))} would set the clock`;
}

const PS_OPTION_WITH_VALUE = /^(?:-[A-Za-z]*[oOpCuUgGtsqk]|[A-Za-z]*[oOpUk]|--[a-z]+)$/;

/** `ps e`, `ps -E` and the column `environ` show the environment of other processes. */
function refusePsEnvironment(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const isValue = index > 0 && PS_OPTION_WITH_VALUE.test(args[index - 1] ?? '');
    const isEnvironment =
      /env/i.test(arg) || (/^-[A-Za-z]*E/.test(arg) && !isValue) || (/^[A-Za-z]*e[A-Za-z]*$/.test(arg) && !isValue);
    if (isEnvironment) return `${arg} would show the environment of other processes`;
  }
  return undefined;
}

/**
 * Everything in an argument that a program might take for a path: the whole, what follows `=`, and what is glued to a
 * short option (`-f/etc/passwd`).
 */
export function pathsIn(arg: string): readonly string[] {
  if (!arg.startsWith('-')) return [arg, ...afterEquals(arg)];
  if (arg.startsWith('--')) return afterEquals(arg);
  return [...Array(Math.max(0, arg.length - 2)).keys()].map((index) => arg.slice(index + 2));
}

function afterEquals(arg: string): readonly string[] {
  const at = arg.indexOf('=');
  return at === -1 ? [] : [arg.slice(at + 1)];
}
