import type { Clock } from '@/lib/std/clock';
import type { JsonValue } from '@/lib/std/json';
import type { LogFields, Logger, LogLevel } from '@/lib/std/logger';

export type JsonLoggerOptions = {
  readonly stream: { write(line: string): unknown };
  readonly clock: Clock;
  /** The least important level that is written. */
  readonly level: LogLevel | 'silent';
};

const RANK: Record<LogLevel | 'silent', number> = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };

const SECRET_KEY = /token|secret|authorization|cookie|ticket|password|api[-_]?key/i;
const SECRET_PARAMETER = /\b((?:token|secret|ticket|password|api[-_]?key)=|[#?&]code=)[^&\s"']+/gi;
const URL_LIKE = /\b(wss?|https?):\/\/[^\s"'<>\\]+/gi;
/** JSON leaves these as they are, and some terminals and viewers obey them. */
const TERMINAL_CONTROL = /[\u007f-\u009f\u2028\u2029]/g;
const REDACTED = '[redacted]';
const TEXT_LENGTH_MAX = 4_000;

/** One line of JSON per fact. Secrets are taken out here, so that a careless caller cannot leak one. */
export function createJsonLogger({ stream, clock, level }: JsonLoggerOptions): Logger {
  const writer = (lineLevel: LogLevel) => {
    if (RANK[lineLevel] > RANK[level]) return () => {};
    return (what: string, fields: LogFields = {}) => {
      const line: Record<string, JsonValue> = {
        level: lineLevel,
        at: new Date(clock.now()).toISOString(),
        what,
      };
      for (const [key, value] of Object.entries(fields)) {
        if (value !== undefined && !(key in line)) line[key] = redactMember(key, value);
      }
      stream.write(`${JSON.stringify(line).replace(TERMINAL_CONTROL, escaped)}\n`);
    };
  };
  return { error: writer('error'), warn: writer('warn'), info: writer('info'), debug: writer('debug') };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function redactMember(key: string, value: JsonValue): JsonValue {
  return SECRET_KEY.test(key) && typeof value !== 'number' && typeof value !== 'boolean' ? REDACTED : redact(value);
}

function redact(value: JsonValue): JsonValue {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redact);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redactMember(key, member)]));
}

/** Text without credentials: URLs lose their user info, query and fragment, loose parameters their value. */
export function redactText(text: string): string {
  const short = text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text;
  return short.replace(URL_LIKE, bareUrl).replace(SECRET_PARAMETER, `$1${REDACTED}`);
}

function bareUrl(text: string): string {
  const [end = ''] = /[.,:;!?]*$/.exec(text) ?? [];
  const address = text.slice(0, text.length - end.length);
  if (!URL.canParse(address)) return `${address.split(':')[0]}://${REDACTED}`;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname === '/' && !address.endsWith('/') ? '' : pathname}${end}`;
}
