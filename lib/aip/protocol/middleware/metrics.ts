import type { Clock } from '@/lib/std/clock';
import { type MessageFacts, messageFacts } from './message-facts';
import type { AipMessage, Direction, Middleware } from './middleware';

/** Messages of one kind that have passed. */
export type MessageCount = {
  readonly direction: Direction;
  readonly type: AipMessage['type'];
  readonly status: AipMessage['status'];
  readonly count: number;
};

/** How long questions of one kind waited for their answers, in milliseconds. */
export type AnswerTimes = {
  readonly question: AipMessage['type'];
  readonly count: number;
  readonly sumMs: number;
  readonly maxMs: number;
};

export type MetricsReading = {
  readonly messages: readonly MessageCount[];
  readonly answers: readonly AnswerTimes[];
  /** Questions without an answer so far. */
  readonly waiting: number;
};

export type Metrics<Outgoing, Incoming> = {
  /** One for all connections: what they do is added up. */
  readonly middleware: Middleware<Outgoing, Incoming>;
  read(): MetricsReading;
};

/** What is never answered must not be remembered for ever. */
const QUESTIONS_WAITING_MAX = 10_000;

/** Counts messages, and takes the time between a question and its answer, in either direction. */
export function createMetrics<Outgoing extends AipMessage, Incoming extends AipMessage>(
  clock: Clock,
): Metrics<Outgoing, Incoming> {
  const messages = new Map<string, MessageCount>();
  const answers = new Map<AipMessage['type'], AnswerTimes>();
  const askedAtMs = new Map<string, number>();

  function count(direction: Direction, { type, status }: MessageFacts) {
    const key = `${direction} ${type} ${status}`;
    messages.set(key, { direction, type, status, count: (messages.get(key)?.count ?? 0) + 1 });
  }

  function ask(key: string) {
    askedAtMs.delete(key);
    askedAtMs.set(key, clock.now());
    for (const oldest of askedAtMs.keys()) {
      if (askedAtMs.size <= QUESTIONS_WAITING_MAX) break;
      askedAtMs.delete(oldest);
    }
  }

  function answer(question: AipMessage['type'], key: string) {
    const atMs = askedAtMs.get(key);
    if (atMs === undefined) return;
    askedAtMs.delete(key);
    const tookMs = Math.max(0, clock.now() - atMs);
    const { count: earlier = 0, sumMs = 0, maxMs = 0 } = answers.get(question) ?? {};
    answers.set(question, {
      question,
      count: earlier + 1,
      sumMs: sumMs + tookMs,
      maxMs: Math.max(maxMs, tookMs),
    });
  }

  function measured<Message extends AipMessage>(direction: Direction, message: Message): Message {
    const facts = messageFacts(message);
    count(direction, facts);
    const asked = questionOf(facts);
    if (asked) ask(`${direction} ${asked}`);
    const answered = answeredBy(facts);
    const other = direction === 'incoming' ? 'outgoing' : 'incoming';
    if (answered) answer(answered.question, `${other} ${answered.key}`);
    return message;
  }

  return {
    middleware: {
      name: 'metrics',
      outgoing: (message) => measured('outgoing', message),
      incoming: (message) => measured('incoming', message),
    },
    read: () => ({ messages: [...messages.values()], answers: [...answers.values()], waiting: askedAtMs.size }),
  };
}

/** What the answer to a message will be known by. */
function questionOf({ type, sessionId, requestId, responseId }: MessageFacts): string | undefined {
  switch (type) {
    case 'task':
      return keyOf('task', sessionId);
    case 'command':
      return keyOf('command', responseId);
    case 'device_info_request':
      // A constellation asks its server under a request id, the server asks the device under a response id.
      return keyOf('device_info_request', requestId ?? responseId);
    default:
      return undefined;
  }
}

type AnsweredQuestion = { readonly question: AipMessage['type']; readonly key: string };

function answeredBy({ type, sessionId, responseId, prevResponseId }: MessageFacts): AnsweredQuestion | undefined {
  const answers = (question: AipMessage['type'], id: string | undefined): AnsweredQuestion | undefined => {
    const key = keyOf(question, id);
    return key === undefined ? undefined : { question, key };
  };
  switch (type) {
    case 'task_end':
      return answers('task', sessionId);
    case 'command_results':
      return answers('command', prevResponseId);
    case 'device_info_response':
      return answers('device_info_request', prevResponseId ?? responseId);
    default:
      return undefined;
  }
}

function keyOf(question: AipMessage['type'], id: string | undefined): string | undefined {
  return id ? `${question} ${id}` : undefined;
}
