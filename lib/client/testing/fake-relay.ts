import type { OpenRelaySocket, RelaySocketEvents } from '@/lib/client/socket-port';
import type { DownFrame } from '@/lib/relay-protocol/down';
import { type UpFrame, upFrameSchema } from '@/lib/relay-protocol/up';

type Welcome = Extract<DownFrame, { type: 'welcome' }>;

/** The other end of the socket, driven by hand. */
export type FakeRelay = {
  readonly open: OpenRelaySocket;
  /** What the page has sent on the present connection. */
  sent(): readonly UpFrame[];
  sentOfType<Type extends UpFrame['type']>(type: Type): readonly Extract<UpFrame, { type: Type }>[];
  readonly calls: string[];
  connect(): void;
  welcome(change?: Partial<Welcome>): void;
  say(...frames: readonly DownFrame[]): void;
  sayText(text: string): void;
  drop(code?: unknown, reason?: string): void;
  readonly events: RelaySocketEvents;
};

export function createFakeRelay(now: () => number): FakeRelay {
  let frames: UpFrame[] = [];
  let isOpen = false;
  let listening: RelaySocketEvents | undefined;
  const calls: string[] = [];

  const events = (): RelaySocketEvents => {
    if (listening === undefined) throw new Error('Expected the client to have opened its socket');
    return listening;
  };
  const say = (...spoken: readonly DownFrame[]) =>
    events().onMessage(JSON.stringify(spoken.length === 1 ? spoken[0] : spoken));

  return {
    calls,
    open(given) {
      listening = given;
      return {
        send(text) {
          if (isOpen) frames.push(upFrameSchema.parse(JSON.parse(text)));
          return isOpen;
        },
        reconnectNow() {
          calls.push('reconnect-now');
          isOpen = false;
          given.onClose({ code: undefined, reason: 'replaced' });
        },
        reconnectAfter(delayMs) {
          calls.push(`reconnect-after ${delayMs}`);
        },
        close() {
          calls.push('close');
          isOpen = false;
        },
      };
    },
    sent: () => frames,
    sentOfType<Type extends UpFrame['type']>(type: Type) {
      return frames.filter((frame): frame is Extract<UpFrame, { type: Type }> => frame.type === type);
    },
    connect() {
      frames = [];
      isOpen = true;
      events().onOpen('ticket-1');
    },
    welcome(change = {}) {
      say({
        type: 'welcome',
        protocolVersion: 1,
        connectionId: 'c1',
        actor: 'ada',
        role: 'admin',
        nowMs: now(),
        heartbeat: { pingEveryMs: 20_000, giveUpAfterMs: 35_000 },
        limits: { frameBytesMax: 65_536, commandsUnansweredMax: 64 },
        streams: [],
        ...change,
      });
    },
    say,
    sayText: (text) => events().onMessage(text),
    drop(code = 1006, reason = '') {
      isOpen = false;
      events().onClose({ code, reason });
    },
    get events() {
      return events();
    },
  };
}
