import { expect, test } from 'vitest';
import { FLEET_STREAM, RUNS_STREAM, type StreamName, streamNameSchema } from '@/lib/relay-protocol/streams';
import { SNAPSHOT_PART_BYTES_MAX } from '@/lib/relay-protocol/timing';
import { aGateway } from './testing/a-gateway';
import { type FakeSocket, settle } from './testing/fake-socket';
import { PageFold } from './testing/page-fold';

const fleet = (from: { epoch: string; number: number } | null = null) => [{ stream: FLEET_STREAM, from }];
const addDevice = (id: string) => ({
  type: 'device-add',
  device: { deviceId: id, serverUrl: 'ws://127.0.0.1:5000/ws' },
});
const command = (commandId: string, body: unknown) => ({ type: 'command', commandId, command: body });

function foldOf(socket: FakeSocket, fold = new PageFold()): PageFold {
  for (const frame of socket.frames) fold.apply(frame);
  return fold;
}

test('[P2] a socket that says nothing is closed after five seconds', () => {
  const { clock, connect } = aGateway();
  const socket = connect();
  clock.advance(4_999);
  expect(socket.closedWith).toBeUndefined();
  clock.advance(1);
  expect(socket.closedWith).toBe(4001);
});

test('[P2] anything but hello first ends the connection', async () => {
  const { connect, say } = aGateway();
  const socket = connect();
  say(socket, { type: 'pong', sentAtMs: 1 });
  await settle();
  expect(socket.closedWith).toBe(4001);
  expect(socket.ofType('error')[0]?.code).toBe('hello-expected');
});

test('[P3][S04] of fifty hellos with one ticket exactly one is welcome', async () => {
  const { open, ticketOf } = aGateway();
  const ticket = ticketOf();
  const sockets = Array.from({ length: 50 }, () => open([], ticket));
  await settle();
  expect(sockets.filter((socket) => socket.ofType('welcome').length === 1)).toHaveLength(1);
  expect(sockets.filter((socket) => socket.closedWith === 4240)).toHaveLength(49);
});

test('[P4] another version is told apart before the form of its hello is looked at', async () => {
  const { connect, say, ticketOf, tickets } = aGateway();
  const socket = connect();
  const ticket = ticketOf();
  say(socket, { type: 'hello', protocolVersion: 99, ticket, somethingNew: true });
  expect(socket.closedWith).toBe(4002);
  expect(tickets.redeem(ticket)).toBeDefined();
});

test('[P5] a stream without a position comes as a snapshot, then live', async () => {
  const { open, commitFleet } = aGateway();
  commitFleet(3);
  const socket = open(fleet());
  await settle();
  commitFleet(2);
  await settle();
  expect(socket.ofType('welcome')[0]?.streams[0]).toMatchObject({ stream: 'fleet', number: 3, mode: 'snapshot' });
  expect(foldOf(socket).eventsOf(FLEET_STREAM)).toHaveLength(5);
});

test('[P5] a stream that does not exist is said to be unknown', async () => {
  const { open, say } = aGateway();
  const stream = streamNameSchema.parse(`run:${'0'.repeat(32)}`);
  const socket = open([{ stream, from: null }]);
  say(socket, { type: 'subscribe', stream, from: null });
  await settle();
  expect(socket.ofType('welcome')[0]?.streams[0]).toMatchObject({ mode: 'unknown' });
  expect(socket.ofType('error')[0]?.code).toBe('unknown-stream');
});

test('[P6][I8] cut after any frame and resumed, a page knows what an uncut one knows', async () => {
  const { open, commitFleet, runtime } = aGateway();
  commitFleet(5);
  const uncut = open(fleet());
  await settle();
  for (let cut = 0; cut < 12; cut += 1) {
    const fold = new PageFold();
    const first = open(fleet());
    await settle();
    commitFleet(3);
    await settle();
    for (const frame of first.frames.slice(0, cut)) fold.apply(frame);
    first.session?.closed();
    commitFleet(2);
    const second = open(fleet(fold.cursorOf(FLEET_STREAM)));
    await settle();
    commitFleet(1);
    await settle();
    foldOf(second, fold);
    expect(fold.eventsOf(FLEET_STREAM)).toEqual(foldOf(uncut).eventsOf(FLEET_STREAM));
    second.session?.closed();
  }
  expect(foldOf(uncut).eventsOf(FLEET_STREAM)).toHaveLength(runtime.head(FLEET_STREAM).number);
});

test.each([
  ['another epoch', (head: { epoch: string; number: number }) => ({ ...head, epoch: 'another' }), 'epoch'],
  ['ahead of the log', (head: { epoch: string; number: number }) => ({ ...head, number: head.number + 5 }), 'ahead'],
  ['too far behind', (head: { epoch: string; number: number }) => ({ ...head, number: 1 }), 'too-old'],
])('[P7] a position with %s gets one reset and a snapshot', async (_, change, reason) => {
  const { open, commitFleet, runtime } = aGateway();
  commitFleet(600);
  const socket = open(fleet(change(runtime.head(FLEET_STREAM))));
  await settle();
  expect(socket.ofType('reset').map((frame) => frame.reason)).toEqual([reason]);
  expect(foldOf(socket).eventsOf(FLEET_STREAM)).toHaveLength(600);
});

test('[P8] a large snapshot comes in parts of at most 64 KiB, whole characters each', async () => {
  const { open, runtime } = aGateway();
  const events = Array.from({ length: 3_000 }, (_, index) => ({ index, text: `"\\😀é ${'\u{1F30D}'.repeat(20)}` }));
  runtime.snapshotText = JSON.stringify(events);
  const socket = open(fleet());
  for (let round = 0; round < 20; round += 1) await settle();
  const parts = socket.ofType('snapshot');
  expect(parts.length).toBeGreaterThan(5);
  for (const part of parts) {
    expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThanOrEqual(SNAPSHOT_PART_BYTES_MAX);
    expect(part.text.isWellFormed()).toBe(true);
  }
  expect(foldOf(socket).eventsOf(FLEET_STREAM)).toEqual(events);
});

test('[P9] every command has one result, and a command that is sent again is done once', async () => {
  const { open, say, runtime } = aGateway();
  const socket = open();
  say(socket, command('command-1', addDevice('linux-1')));
  say(socket, command('command-1', addDevice('linux-1')));
  await settle();
  expect(socket.ofType('result').map((frame) => frame.outcome.status)).toEqual(['accepted']);
  const again = open();
  say(again, command('command-1', addDevice('linux-1')));
  await settle();
  expect(again.ofType('result')[0]?.outcome).toMatchObject({ status: 'duplicate', positions: [{ number: 1 }] });
  expect(runtime.head(FLEET_STREAM).number).toBe(1);
});

test('[P9] a command that the role does not allow is refused before any rule sees it', async () => {
  const { open, say, ticketOf, runtime } = aGateway();
  const socket = open([], ticketOf('viewer'));
  say(socket, command('command-1', addDevice('linux-1')));
  await settle();
  expect(socket.ofType('result')[0]?.outcome).toMatchObject({ status: 'rejected', refusal: { code: 'forbidden' } });
  expect(runtime.submitted).toHaveLength(0);
});

test('[P9][S29] a command after its deadline is refused as expired', async () => {
  const { open, say, clock } = aGateway();
  const socket = open();
  say(socket, { ...command('command-1', addDevice('linux-1')), deadlineMs: clock.now() - 1 });
  await settle();
  expect(socket.ofType('result')[0]?.outcome).toMatchObject({ refusal: { code: 'expired' } });
});

test('[P10][S27] too many commands are refused one by one, and more served later', async () => {
  const { open, say, clock } = aGateway();
  const socket = open();
  for (let index = 0; index < 70; index += 1) say(socket, command(`command-${index}`, addDevice(`d${index}`)));
  await settle();
  const results = socket.ofType('result').map((frame) => frame.outcome.status);
  expect([results.length, results.filter((status) => status === 'accepted').length]).toEqual([70, 60]);
  clock.advance(10_000);
  say(socket, command('command-later', addDevice('later')));
  await settle();
  expect(socket.ofType('result').at(-1)?.outcome.status).toBe('accepted');
});

test('[P10] a flood of frames is warned of once, then ended', async () => {
  const { open, say } = aGateway();
  const socket = open();
  for (let index = 0; index < 400; index += 1) say(socket, { type: 'pong', sentAtMs: 1 });
  await settle();
  expect(socket.ofType('error').map((frame) => frame.code)).toEqual(['rate-limited']);
  expect(socket.closedWith).toBe(4129);
});

test('[P10][S32] a flood of protocol pings ends the connection', () => {
  const { open } = aGateway();
  const socket = open();
  for (let index = 0; index < 12; index += 1) socket.session?.receiveControlFrame();
  expect(socket.closedWith).toBe(4129);
});

test.each([
  ['no JSON', '{'],
  ['[S19] deep JSON', `{"type":"hello","x":${'['.repeat(20_000)}`],
  ['[S20] __proto__', '{"type":"pong","sentAtMs":1,"__proto__":{"polluted":true}}'],
  ['[S20] an escaped __proto__', '{"type":"pong","sentAtMs":1,"\\u005f_proto__":{"polluted":true}}'],
  ['[S24] an extra field', '{"type":"pong","sentAtMs":1,"role":"admin"}'],
  ['an unknown type', '{"type":"task"}'],
  ['[S22] half a character', '{"type":"subscribe","stream":"\\ud800","from":null}'],
])('[P1] %s is an error frame and the end', async (_, text) => {
  const { open } = aGateway();
  const socket = open();
  socket.session?.receive(text);
  await settle();
  expect([socket.ofType('error')[0]?.code, socket.closedWith]).toEqual(['bad-frame', 4001]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('[P11] a page that does not acknowledge gets 256 events and no more until it does', async () => {
  const { open, say, commitFleet } = aGateway();
  const socket = open(fleet());
  await settle();
  commitFleet(400);
  for (let round = 0; round < 5; round += 1) await settle();
  const count = () => socket.ofType('events').flatMap((frame) => frame.events).length;
  expect(count()).toBeGreaterThanOrEqual(256);
  expect(count()).toBeLessThan(256 + 64);
  say(socket, { type: 'ack', positions: [{ stream: FLEET_STREAM, number: count() }] });
  for (let round = 0; round < 5; round += 1) await settle();
  expect(count()).toBe(400);
});

test('[P11][S30] a reader that is stuck costs one filling of the socket and is cut after 15 s', async () => {
  const { open, commitFleet, clock } = aGateway();
  const socket = open(fleet());
  await settle();
  socket.isStuck = true;
  commitFleet(2_000);
  await settle();
  expect(socket.bufferedAmount).toBeLessThan(160 * 1024);
  clock.advance(14_999);
  expect(socket.closedWith).toBeUndefined();
  clock.advance(10_001);
  expect(socket.closedWith).toBe(4108);
  clock.advance(2_000);
  expect(socket.isTerminated).toBe(true);
});

test('[P11] a slow reader that moves is not cut', async () => {
  const { open, say, commitFleet, clock } = aGateway();
  const socket = open(fleet());
  await settle();
  commitFleet(400);
  for (let round = 0; round < 6; round += 1) {
    await settle();
    clock.advance(10_000);
    const sent = socket.ofType('events').flatMap((frame) => frame.events).length;
    say(socket, { type: 'ack', positions: [{ stream: FLEET_STREAM, number: Math.max(1, sent - 256 + round) }] });
  }
  expect(socket.closedWith).toBeUndefined();
});

test('[P12] silence of 45 s ends a connection; pongs keep it', async () => {
  const { open, say, clock } = aGateway();
  const silent = open();
  const alive = open();
  for (let round = 0; round < 10; round += 1) {
    clock.advance(5_000);
    await settle();
    say(alive, { type: 'pong', sentAtMs: 1 });
  }
  expect([silent.closedWith, alive.closedWith]).toEqual([4201, undefined]);
  expect(alive.ofType('ping').length).toBeGreaterThanOrEqual(2);
});

test('[P13] an idle stream gets a bookmark every 15 s', async () => {
  const { open, commitFleet, clock } = aGateway();
  commitFleet(2);
  const socket = open(fleet());
  await settle();
  clock.advance(15_000);
  await settle();
  expect(socket.ofType('position')).toEqual([expect.objectContaining({ stream: 'fleet', number: 2 })]);
});

test('[P14] of a register only the newest value reaches a reader that was busy', async () => {
  const { open, runtime } = aGateway();
  const socket = open(fleet());
  await settle();
  for (let version = 1; version <= 50; version += 1) {
    runtime.setRegister({ stream: FLEET_STREAM, key: 'heard/d1', version, value: version });
  }
  await settle();
  expect(socket.ofType('register').map((frame) => frame.version)).toEqual([50]);
  const later = open(fleet());
  await settle();
  expect(later.ofType('register').map((frame) => frame.value)).toEqual([50]);
});

test('[P15][S12] signing out ends the sockets of that session at once, and no other', async () => {
  const { open, sessions, ticketOf } = aGateway();
  const mine = sessions.find(sessions.start('operator', 'admin'))?.sessionId ?? '';
  const other = sessions.find(sessions.start('operator', 'admin'))?.sessionId ?? '';
  const [first, second, third] = [
    open([], ticketOf('admin', mine)),
    open([], ticketOf('admin', mine)),
    open([], ticketOf('admin', other)),
  ];
  const unused = ticketOf('admin', mine);
  sessions.end(mine);
  expect([first.closedWith, second.closedWith, third.closedWith]).toEqual([4010, 4010, undefined]);
  expect(open([], unused).closedWith).toBe(4240);
});

test('[P15] a session that has run out is noticed at the next ping', () => {
  const { open, sessions, ticketOf, clock, say } = aGateway();
  const sessionId = sessions.find(sessions.start('operator', 'admin'))?.sessionId ?? '';
  const socket = open([], ticketOf('admin', sessionId));
  for (let elapsed = 0; elapsed < 8 * 86_400_000 && socket.closedWith === undefined; elapsed += 10_000) {
    clock.advance(10_000);
    if (socket.closedWith === undefined) say(socket, { type: 'pong', sentAtMs: 1 });
  }
  expect(socket.closedWith).toBe(4010);
});

test('[P16][S14] one session has at most twenty connections', () => {
  const { open, ticketOf } = aGateway();
  const sockets = Array.from({ length: 21 }, () => open([], ticketOf('admin', 's1')));
  expect(sockets.map((socket) => socket.closedWith).filter((code) => code !== undefined)).toEqual([4008]);
});

test('[P17] a stop says bye with a delay and a spread, and waits for the sockets', async () => {
  const { open, gateway } = aGateway();
  const sockets = [open(), open()];
  await gateway.close();
  for (const socket of sockets) {
    expect(socket.ofType('bye')[0]).toMatchObject({ code: 4200, spreadMs: 5_000 });
    expect(socket.closedWith).toBe(4200);
  }
  expect(gateway.connectionCount).toBe(0);
});

test('[P18] an unsubscribed stream is silent, and a busy one does not starve another', async () => {
  const { open, say, commitFleet, runtime } = aGateway();
  const streams: StreamName[] = [FLEET_STREAM, RUNS_STREAM];
  const socket = open(streams.map((stream) => ({ stream, from: null })));
  await settle();
  commitFleet(200);
  say(socket, command('command-1', addDevice('linux-1')));
  await settle();
  expect(socket.ofType('result')).toHaveLength(1);
  say(socket, { type: 'unsubscribe', stream: FLEET_STREAM });
  const before = socket.ofType('events').length;
  commitFleet(5);
  await settle();
  expect(socket.ofType('events')).toHaveLength(before);
  expect(runtime.head(FLEET_STREAM).number).toBe(206);
});

test('[T38] a page that was idle for half an hour resumes without a reset', async () => {
  const { open, say, commitFleet, clock } = aGateway();
  commitFleet(3);
  const socket = open(fleet());
  await settle();
  for (let minute = 0; minute < 60; minute += 1) {
    clock.advance(30_000);
    say(socket, { type: 'pong', sentAtMs: 1 });
  }
  await settle();
  const cursor = foldOf(socket).cursorOf(FLEET_STREAM);
  socket.session?.closed();
  commitFleet(1);
  const again = open(fleet(cursor));
  await settle();
  expect(again.ofType('welcome')[0]?.streams[0]?.mode).toBe('replay');
  expect(again.ofType('reset')).toEqual([]);
});

test('[I6] nothing of a thousand connections is left', async () => {
  const { connect, gateway, open } = aGateway();
  for (let index = 0; index < 500; index += 1) connect().session?.closed();
  for (let index = 0; index < 500; index += 1) open(fleet()).session?.closed();
  await settle();
  expect(gateway.connectionCount).toBe(0);
});

test('[S35][S71] a fault inside ends that connection with an id, and no other', async () => {
  const { open, say, runtime } = aGateway();
  const [broken, other] = [open(fleet()), open(fleet())];
  await settle();
  const submit = runtime.submit;
  runtime.submit = async () => {
    throw new Error('SELECT secret FROM journal');
  };
  say(broken, command('command-1', addDevice('linux-1')));
  await settle();
  runtime.submit = submit;
  expect([broken.closedWith, other.closedWith]).toEqual([4202, undefined]);
  expect(JSON.stringify(broken.frames)).not.toContain('SELECT');
  say(other, command('command-2', addDevice('linux-2')));
  await settle();
  expect(other.ofType('result')[0]?.outcome.status).toBe('accepted');
});

test('a log that cannot be read ends the readers, not the relay', async () => {
  const { open, runtime, commitFleet } = aGateway();
  const socket = open(fleet());
  await settle();
  runtime.readAfter = () => {
    throw new Error('disk');
  };
  commitFleet(1);
  await settle();
  expect(socket.closedWith).toBe(4202);
});

test('a hundred pages that come back at once cost one snapshot', async () => {
  const { open, runtime, commitFleet } = aGateway();
  commitFleet(3);
  let made = 0;
  const { snapshot } = runtime;
  runtime.snapshot = (stream) => {
    made += 1;
    return snapshot(stream);
  };
  const sockets = Array.from({ length: 100 }, () => open(fleet()));
  await settle();
  expect(sockets.every((socket) => foldOf(socket).eventsOf(FLEET_STREAM).length === 3)).toBe(true);
  expect(made).toBe(1);
});
