import { expect, test } from 'vitest';
import type { DownFrame } from '@/lib/relay-protocol/down';
import type { Link } from '@/lib/relay-protocol/link';
import { type Cursor, FLEET_STREAM, RUNS_STREAM, runStream, type StreamName } from '@/lib/relay-protocol/streams';
import { type CommandId, commandIdSchema, deviceIdSchema, runIdSchema } from '@/lib/std/ids';
import { createBoardCommands } from './board-commands';
import { type ClientEvents, createConstellationClient } from './constellation-client';
import { createFakeClock } from './testing/fake-clock';
import { createFakeRelay } from './testing/fake-relay';

const RUN_ID = runIdSchema.parse('a'.repeat(32));
const DEVICE_ID = deviceIdSchema.parse('linux-1');

function aClient() {
  const clock = createFakeClock();
  const relay = createFakeRelay(clock.now);
  const links: Link[] = [];
  const frames: DownFrame[] = [];
  const cursors = new Map<StreamName, Cursor>();
  const askAgain = new Set<StreamName>();
  const marks: string[] = [];
  let ids = 0;
  const events: ClientEvents = {
    onFrame(frame) {
      frames.push(frame);
      return [...askAgain];
    },
    onLink: (link) => links.push(link),
    onFollow: (stream) => marks.push(`follow ${stream}`),
    onForget: (stream) => marks.push(`forget ${stream}`),
    onCommandSent: (commandId) => marks.push(`sent ${commandId}`),
    onCommandSettled: (commandId) => marks.push(`settled ${commandId}`),
    cursorOf: (stream) => cursors.get(stream) ?? null,
  };
  const client = createConstellationClient({
    openSocket: relay.open,
    clock,
    newCommandId: () => commandIdSchema.parse(`command-${++ids}`),
    fraction: () => 0.5,
    events,
  });
  const commands = createBoardCommands(client.send);
  return { client, clock, commands, relay, links, frames, cursors, askAgain, marks };
}

function accepted(commandId: CommandId): DownFrame {
  return { type: 'result', commandId, outcome: { status: 'accepted', positions: [] } };
}

test('the first frame of each connection greets with a fresh ticket and where every stream stands', () => {
  const { client, relay, cursors } = aClient();
  client.subscribe(FLEET_STREAM);
  client.subscribe(RUNS_STREAM);
  cursors.set(FLEET_STREAM, { epoch: 'e1', number: 7 });

  relay.connect();

  expect(relay.sent()).toEqual([
    {
      type: 'hello',
      protocolVersion: 1,
      ticket: 'ticket-1',
      streams: [
        { stream: FLEET_STREAM, from: { epoch: 'e1', number: 7 } },
        { stream: RUNS_STREAM, from: null },
      ],
    },
  ]);
});

test('the link counts as open only after the welcome', () => {
  const { relay, links } = aClient();
  relay.connect();
  expect(links.at(-1)).toEqual({ phase: 'connecting', freshAtMs: null });
  relay.welcome();
  expect(links.at(-1)).toEqual({ phase: 'open' });
});

test('a stream that is opened while connected is asked for at once', () => {
  const { client, relay } = aClient();
  relay.connect();
  relay.welcome();
  client.subscribe(runStream(RUN_ID));
  expect(relay.sent().at(-1)).toEqual({ type: 'subscribe', stream: runStream(RUN_ID), from: null });
});

test('a stream that was opened between hello and welcome is not forgotten', () => {
  const { client, relay } = aClient();
  relay.connect();
  client.subscribe(runStream(RUN_ID));
  relay.welcome();
  expect(relay.sentOfType('subscribe')).toEqual([{ type: 'subscribe', stream: runStream(RUN_ID), from: null }]);
});

test('a view that is left and opened again soon keeps its stream; one that is left for good lets it go', () => {
  const { client, clock, relay, marks } = aClient();
  relay.connect();
  relay.welcome();
  const leave = client.subscribe(runStream(RUN_ID));
  leave();
  leave();
  clock.advance(1_000);
  const leaveAgain = client.subscribe(runStream(RUN_ID));
  clock.advance(10_000);
  expect(relay.sentOfType('unsubscribe')).toEqual([]);
  expect(relay.sentOfType('subscribe')).toHaveLength(1);

  leaveAgain();
  relay.say({ type: 'ping', sentAtMs: 1 });
  clock.advance(15_000);
  expect(relay.sentOfType('unsubscribe')).toEqual([{ type: 'unsubscribe', stream: runStream(RUN_ID) }]);
  expect(marks).toEqual([`follow ${runStream(RUN_ID)}`, `forget ${runStream(RUN_ID)}`]);
});

test('a ping is answered in the same breath', () => {
  const { relay } = aClient();
  relay.connect();
  relay.welcome();
  relay.say({ type: 'ping', sentAtMs: 42 });
  expect(relay.sent().at(-1)).toEqual({ type: 'pong', sentAtMs: 42 });
});

test('a stream with a hole is asked for again from where its copy stands', () => {
  const { relay, cursors, askAgain } = aClient();
  relay.connect();
  relay.welcome();
  cursors.set(FLEET_STREAM, { epoch: 'e1', number: 3 });
  askAgain.add(FLEET_STREAM);
  relay.say({ type: 'position', stream: FLEET_STREAM, epoch: 'e1', number: 9 });
  expect(relay.sent().at(-1)).toEqual({
    type: 'subscribe',
    stream: FLEET_STREAM,
    from: { epoch: 'e1', number: 3 },
  });
});

test('a silent link is given up after 35 s, and the age of what is shown is when it was last heard', () => {
  const { clock, relay, links } = aClient();
  relay.connect();
  relay.welcome();
  const heardAtMs = clock.now();
  clock.advance(33_000);
  expect(relay.calls).toEqual([]);
  clock.advance(2_000);
  expect(relay.calls).toEqual(['reconnect-now']);
  expect(links.at(-1)).toEqual({ phase: 'connecting', freshAtMs: heardAtMs });
});

test('a silent link is never called live for longer than 35 s, whenever its last word came', () => {
  for (let heardAfterMs = 100; heardAfterMs < 3_000; heardAfterMs += 100) {
    const { clock, relay } = aClient();
    relay.connect();
    relay.welcome();
    clock.advance(heardAfterMs);
    relay.say({ type: 'ping', sentAtMs: 1 });
    clock.advance(35_000);
    expect(relay.calls).toEqual(['reconnect-now']);
  }
});

test('a link that is heard now and then is kept', () => {
  const { clock, relay } = aClient();
  relay.connect();
  relay.welcome();
  for (let beat = 0; beat < 10; beat += 1) {
    clock.advance(20_000);
    relay.say({ type: 'ping', sentAtMs: beat });
  }
  expect(relay.calls).toEqual([]);
});

test('a relay that takes the socket and never welcomes is left after 10 s', () => {
  const { clock, relay } = aClient();
  relay.connect();
  clock.advance(12_500);
  expect(relay.calls).toEqual(['reconnect-now']);
});

test('a return of the network shortens the wait, and a link that stopped is left alone', () => {
  const { client, relay, clock } = aClient();
  relay.connect();
  relay.welcome();
  relay.drop();
  relay.events.onWaiting(clock.now() + 9_000);
  client.check();
  expect(relay.calls).toEqual(['reconnect-now']);
  relay.drop(4003, 'forbidden');
  client.check();
  expect(relay.calls).toEqual(['reconnect-now', 'close']);
});

test('a command that is answered gives the verdict of the relay', async () => {
  const { relay, commands, marks } = aClient();
  relay.connect();
  relay.welcome();
  const verdict = commands.launch(RUN_ID);
  const [frame] = relay.sentOfType('command');
  expect(frame?.command).toEqual({ type: 'run-launch', runId: RUN_ID });
  relay.say({
    type: 'result',
    commandId: frame!.commandId,
    outcome: { status: 'rejected', refusal: { code: 'already-launched', message: 'no' } },
  });
  expect(await verdict).toEqual({ status: 'rejected', refusal: { code: 'already-launched', message: 'no' } });
  expect(marks).toEqual(['sent command-1', 'settled command-1']);
});

test('while there is no link a command is refused at once and never sent later', async () => {
  const { relay, commands } = aClient();
  expect(await commands.refresh(DEVICE_ID, 'now')).toEqual({ status: 'unsent', why: 'offline' });
  relay.connect();
  relay.welcome();
  expect(relay.sentOfType('command')).toEqual([]);
});

test('a command whose answer was lost with the socket is sent once more under the same id', async () => {
  const { relay, commands } = aClient();
  relay.connect();
  relay.welcome();
  const verdict = commands.launch(RUN_ID);
  const [first] = relay.sentOfType('command');
  relay.drop();
  relay.connect();
  relay.welcome();
  expect(relay.sentOfType('command')).toEqual([first]);

  relay.drop();
  relay.connect();
  relay.welcome();
  expect(relay.sentOfType('command')).toEqual([]);

  relay.say(accepted(first!.commandId));
  expect((await verdict).status).toBe('accepted');
});

test('a command without an answer for 30 s has an unknown outcome and is not sent again', async () => {
  const { relay, clock, commands, marks } = aClient();
  relay.connect();
  relay.welcome();
  const verdict = commands.launch(RUN_ID);
  expect(relay.sentOfType('command')[0]?.deadlineMs).toBe(clock.now() + 30_000);
  relay.drop();
  clock.advance(30_000);
  expect(await verdict).toEqual({ status: 'unknown' });
  expect(marks.at(-1)).toBe('settled command-1');
  relay.connect();
  relay.welcome();
  expect(relay.sentOfType('command')).toEqual([]);
});

test('deadlines of commands are told on the clock of the relay', () => {
  const { relay, clock, commands } = aClient();
  relay.connect();
  relay.welcome({ nowMs: clock.now() - 5_000 });
  void commands.launch(RUN_ID);
  expect(relay.sentOfType('command')[0]?.deadlineMs).toBe(clock.now() - 5_000 + 30_000);
});

test('a page never has more than 64 unanswered commands', async () => {
  const { relay, commands } = aClient();
  relay.connect();
  relay.welcome();
  for (let index = 0; index < 64; index += 1) void commands.refresh(DEVICE_ID, 'now');
  expect(await commands.refresh(DEVICE_ID, 'now')).toEqual({ status: 'unsent', why: 'too-many' });
});

test('applied events are acknowledged after a second, and at once after 64', () => {
  const { relay, clock, cursors } = aClient();
  relay.connect();
  relay.welcome();
  const frame = (count: number): DownFrame => ({
    type: 'events',
    stream: FLEET_STREAM,
    epoch: 'e1',
    number: 1,
    events: Array.from({ length: count }, () => ({
      type: 'device-info-failed',
      atMs: 1,
      deviceId: DEVICE_ID,
      reason: 'x',
    })),
  });
  cursors.set(FLEET_STREAM, { epoch: 'e1', number: 2 });
  relay.say(frame(2));
  expect(relay.sentOfType('ack')).toEqual([]);
  clock.advance(1_000);
  expect(relay.sentOfType('ack')).toEqual([{ type: 'ack', positions: [{ stream: FLEET_STREAM, number: 2 }] }]);
  relay.say(frame(64));
  expect(relay.sentOfType('ack')).toHaveLength(2);
});

test.each([
  [4002, 'This relay speaks version 2', 'This relay speaks version 2'],
  [4008, '', 'The relay closed the connection with code 4008'],
])('close code %i stops the page with its reason', (code, reason, shown) => {
  const { relay, links } = aClient();
  relay.connect();
  relay.welcome();
  relay.drop(code, reason);
  expect(links.at(-1)).toMatchObject({ phase: 'stopped', reason: shown });
  expect(relay.calls).toEqual(['close']);
});

test('a session that was ended elsewhere leads to the sign-in', () => {
  const { relay, links } = aClient();
  relay.connect();
  relay.welcome();
  relay.drop(4010, 'signed out');
  expect(links.at(-1)).toEqual({ phase: 'signed-out' });
});

test('after a planned restart pages come back spread over the time that the relay names', () => {
  const { relay } = aClient();
  relay.connect();
  relay.welcome();
  relay.say({ type: 'bye', code: 4200, reason: 'restarting', afterMs: 1_000, spreadMs: 4_000 });
  relay.drop(4200);
  expect(relay.calls).toEqual(['reconnect-after 3000']);
});

test('a message that is not of the protocol stops the page instead of being guessed at', () => {
  const { relay, links } = aClient();
  relay.connect();
  relay.sayText('{"type":"surprise"}');
  expect(links.at(-1)).toMatchObject({ phase: 'stopped' });
});

test('what a device returned may be nested deeply and hold any key', () => {
  const { relay, frames } = aClient();
  relay.connect();
  relay.welcome();
  const deep = `${'['.repeat(150)}{"__proto__":1}${']'.repeat(150)}`;
  relay.sayText(`{"type":"register","stream":"fleet","key":"k","version":1,"value":${deep}}`);
  expect(frames.at(-1)).toMatchObject({ type: 'register', key: 'k' });
});

test('closing says goodbye, settles what is open and opens nothing again', async () => {
  const { client, relay, commands, clock } = aClient();
  relay.connect();
  relay.welcome();
  const verdict = commands.launch(RUN_ID);
  client.close();
  client.close();
  expect(relay.sent().at(-1)).toEqual({ type: 'bye' });
  expect(await verdict).toEqual({ status: 'unknown' });
  clock.advance(120_000);
  expect(relay.calls).toEqual(['close']);
});
