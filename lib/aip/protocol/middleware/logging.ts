import type { LogFields, Logger, LogLevel } from '@/lib/std/logger';
import { messageFacts } from './message-facts';
import type { AipMessage, Middleware } from './middleware';

export type LoggingOptions = {
  readonly logger: Logger;
  /** `debug` by default: one line for each message is much. */
  readonly level?: LogLevel;
  /** Goes into each line, such as the peer's id. */
  readonly fields?: LogFields;
};

/**
 * One line for each message, `aip-sent` or `aip-received`, with its type, status and ids, never with what it carries. Added
 * last, it sees what the wire sees.
 */
export function createLoggingMiddleware<Outgoing extends AipMessage, Incoming extends AipMessage>(
  options: LoggingOptions,
): Middleware<Outgoing, Incoming> {
  const { logger, level = 'debug', fields } = options;
  const told = <Message extends AipMessage>(what: string, message: Message): Message => {
    logger[level](what, { ...fields, ...messageFacts(message) });
    return message;
  };
  return {
    name: 'logging',
    outgoing: (message) => told('aip-sent', message),
    incoming: (message) => told('aip-received', message),
  };
}
