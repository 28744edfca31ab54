import { expect, test } from 'vitest';
import { ConnectionError, FrameError, type Transport } from './transport';

export type OpenPair = () => Promise<readonly [Transport, Transport]>;

/** What every transport promises. `openPair` gives the two ends of a fresh connection, the accepted one second. */
export function transportContract(openPair: OpenPair): void {
  test('frames arrive whole, in order and of their kind', async () => {
    const [left, right] = await openPair();

    await left.send('{"a":"中😀"}');
    await left.send(Uint8Array.of(0, 255, 1));
    await left.send('');

    expect(await right.receiveAuto()).toBe('{"a":"中😀"}');
    expect([...(await right.receiveAuto())]).toEqual([0, 255, 1]);
    expect(await right.receiveAuto()).toBe('');
    await left.close();
  });

  test('half of a surrogate pair, which UTF-8 cannot carry, arrives as the replacement character', async () => {
    const [left, right] = await openPair();

    await left.send('a\ud800b');

    expect(await right.receive()).toBe('a\ufffdb');
    await left.close();
  });

  test('frames leave in the order of the calls, without waiting for each other', async () => {
    const [left, right] = await openPair();

    const sent = [left.send('1'), left.send(Uint8Array.of(2)), left.send('3')];

    expect(await right.receive()).toBe('1');
    expect([...(await right.receiveBinary())]).toEqual([2]);
    expect(await right.receive()).toBe('3');
    await Promise.all(sent);
    await left.close();
  });

  test('a binary frame is read as text where text is asked for, and is no text when it is no UTF-8', async () => {
    const [left, right] = await openPair();

    await left.send(Uint8Array.of(0xe4, 0xb8, 0xad));
    await left.send(Uint8Array.of(0xff));
    await left.send('still here');

    expect(await right.receive()).toBe('中');
    await expect(right.receive()).rejects.toBeInstanceOf(FrameError);
    expect(await right.receive()).toBe('still here');
    await left.close();
  });

  test('text where bytes are due is an error that uses the frame up and nothing else', async () => {
    const [left, right] = await openPair();

    await left.send('text');
    await left.send(Uint8Array.of(7));

    await expect(right.receiveBinary()).rejects.toThrow('Expected a binary frame, got text of 4 characters');
    expect([...(await right.receiveBinary())]).toEqual([7]);
    await left.close();
  });

  test('both directions are independent', async () => {
    const [left, right] = await openPair();

    await Promise.all([left.send('to right'), right.send('to left')]);

    expect(await left.receive()).toBe('to left');
    expect(await right.receive()).toBe('to right');
    await left.close();
  });

  test('both ends are connected from the start, and connecting again changes nothing', async () => {
    const [left, right] = await openPair();

    await left.connect();
    await right.connect();

    expect([left.state, right.state]).toEqual(['connected', 'connected']);
    await left.close();
  });

  test('a goodbye reaches the other end with its code and reason', async () => {
    const [left, right] = await openPair();

    await left.close(4001, 'no more');

    expect(await right.waitClosed()).toEqual({ code: 4001, reason: 'no more', clean: true });
    expect([left.state, right.state]).toEqual(['disconnected', 'disconnected']);
  });

  test('frames that came before the end are handed out before it', async () => {
    const [left, right] = await openPair();

    await left.send('last words');
    await left.close();

    expect(await right.receive()).toBe('last words');
    await expect(right.receive()).rejects.toMatchObject({ name: 'ConnectionError', closed: { code: 1000 } });
    await expect(right.receiveAuto()).rejects.toBeInstanceOf(ConnectionError);
    await expect(right.receiveBinary()).rejects.toBeInstanceOf(ConnectionError);
  });

  test('the end is told although a frame is unread, and as often as somebody asks', async () => {
    const [left, right] = await openPair();
    const told = right.waitClosed();

    await left.send('unread');
    left.terminate();

    expect(await told).toMatchObject({ code: 1006, clean: false });
    expect(await right.waitClosed()).toMatchObject({ code: 1006, clean: false });
    expect(right.state).toBe('disconnected');
  });

  test('a waiting reader is woken by the loss', async () => {
    const [left, right] = await openPair();
    const waiting = right.receive();

    left.terminate();

    await expect(waiting).rejects.toBeInstanceOf(ConnectionError);
  });

  test('sending after the end is an error, closing again is not', async () => {
    const [left, right] = await openPair();

    await left.close();
    await right.waitClosed();

    await expect(left.send('x')).rejects.toBeInstanceOf(ConnectionError);
    await expect(right.send('x')).rejects.toBeInstanceOf(ConnectionError);
    await Promise.all([left.close(), left.close(1001, 'again')]);
    left.terminate();
  });

  test('a second reader is a mistake that is named', async () => {
    const [left, right] = await openPair();
    const first = expect(right.receive()).rejects.toBeInstanceOf(ConnectionError);

    await expect(right.receive()).rejects.toThrow('one reader at a time');
    await left.close();
    await first;
  });
}
