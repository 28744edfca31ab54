import type { JsonValue } from './json';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** The fields of one log line; never secrets, never payloads. */
export type LogFields = { readonly [name: string]: JsonValue | undefined };

/**
 * One fact per line. `error` wakes somebody, `warn` is worth reading tomorrow, `info` is life and death of things,
 * `debug` is frames. `what` is a kebab-case name such as `link-lost`.
 */
export type Logger = { readonly [level in LogLevel]: (what: string, fields?: LogFields) => void };

const nothing = () => {};

/** Drops every line; for tests and for parts that have nothing to say. */
export const silentLogger: Logger = { error: nothing, warn: nothing, info: nothing, debug: nothing };
