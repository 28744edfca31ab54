import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { err, ok, type Result } from '@/lib/std/result';

/** What a reader of one setting answers: its value, or what was expected. */
type Read<Value> = (text: string) => Result<Value, string>;

type SettingOptions<Value> = {
  readonly about: string;
  /** As a person would write it; `''` is a setting that is off or computed when it is not given. */
  readonly fallback: string;
  readonly read: Read<Value>;
  /** A secret value is never repeated in a message. */
  readonly secrecy?: 'secret';
};

/** One environment variable: text in, typed value out, with its own default and description. */
export function setting<Value>(options: SettingOptions<Value>) {
  return z
    .string()
    .optional()
    .transform((given, context): Value => {
      const text = given?.trim() || options.fallback;
      const value = options.read(text);
      if (value.ok) return value.value;
      const got = options.secrecy === 'secret' ? `${text.length} characters` : JSON.stringify(text.slice(0, 100));
      context.addIssue({ code: 'custom', message: `expected ${value.error}; got ${got}` });
      return z.NEVER;
    })
    .meta({ description: options.about, default: options.fallback });
}

export function oneOf<const Word extends string>(words: readonly Word[]): Read<Word> {
  return (text) => {
    const word = words.find((candidate) => candidate === text.toLowerCase());
    return word === undefined ? err(`one of ${words.join(', ')}`) : ok(word);
  };
}

export function wholeNumber(least: number, most: number): Read<number> {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,12}$/.test(text) || value < least || value > most) {
      return err(`a whole number from ${least} to ${most}`);
    }
    return ok(value);
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30d`, `12h`, `45m`, `90s`; `off` is undefined. */
export function durationMs(text: string): Result<number | undefined, string> {
  if (text.toLowerCase() === 'off') return ok(undefined);
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  const amount = Number(match?.[1] ?? 0);
  const unitMs = UNIT_MS[match?.[2] ?? ''];
  if (unitMs === undefined || amount === 0) return err('"off" or a duration such as 30d, 12h, 45m or 90s');
  return ok(amount * unitMs);
}

/** `64KiB`, `16MiB`, `1GiB` or a plain number of bytes. */
export function byteSize(text: string): Result<number, string> {
  const match = /^(\d{1,12})(KiB|MiB|GiB)?$/.exec(text);
  const factor = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }[match?.[2] ?? ''] ?? 1;
  const bytes = Number(match?.[1] ?? 0) * factor;
  if (bytes < 1024 || bytes > 1024 ** 3) return err('a size from 1KiB to 1GiB such as 512KiB or 16MiB');
  return ok(bytes);
}

export function cidrList(text: string): Result<readonly string[] | undefined, string> {
  if (text === '') return ok(undefined);
  const networks = listOf(text);
  const wrong = networks.find((network) => !ipaddr.isValidCIDR(network));
  if (wrong !== undefined) return err(`networks such as 10.0.0.0/8,fd00::/8 ("${wrong}" is not one)`);
  return ok(networks);
}

export function hostList(text: string): Result<readonly string[], string> {
  const hosts = listOf(text.toLowerCase());
  const wrong = hosts.find((host) => !/^([a-z0-9_]([a-z0-9._-]{0,252})?|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(host));
  if (wrong !== undefined) return err(`host names such as orrery.example,10.0.0.5:3000 ("${wrong}" is not one)`);
  return ok(hosts);
}

/** Scheme, host and port; nothing behind them. */
export function origin(text: string): Result<string | undefined, string> {
  if (text === '') return ok(undefined);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isBare ? ok(url.origin) : err('an origin such as https://orrery.example, without a path');
}

export function listenHost(text: string): Result<string, string> {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  const isName = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/.test(bare) || bare === '0';
  return ipaddr.isValid(bare) || isName ? ok(bare) : err('an address or host name of this machine, such as 127.0.0.1');
}

export function secretToken(text: string): Result<string | undefined, string> {
  if (text === '') return ok(undefined);
  if (!/^[\x21-\x7e]{16,512}$/.test(text)) return err('16 to 512 visible ASCII characters without spaces');
  return ok(text);
}

export function anyText(text: string): Result<string | undefined, string> {
  return ok(text === '' ? undefined : text);
}

export function someText(text: string): Result<string, string> {
  return text.includes('\0') ? err('a path') : ok(text);
}

function listOf(text: string): readonly string[] {
  return text
    .split(/[\s,]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
