import { expect, test } from 'vitest';
import { type Transport, type TransportClosed, TransportError } from './transport';

export type OpenPair = () => Promise<readonly [Transport, Transport]>;

/** What every transport promises. `openPair` gives the two ends of a fresh connection. */
export function transportContract(openPair: OpenPair): void {
  test('frames arrive whole, in order and of their kind', async () => {
    const [left, right] = await openPair();

    await left.send({ kind: 'text', text: '{"a":"中😀"}' });
    await left.send({ kind: 'binary', bytes: Uint8Array.of(0, 255, 1) });
    await left.send({ kind: 'text', text: '' });

    expect(await right.receive()).toEqual({ kind: 'text', text: '{"a":"中😀"}' });
    const binary = await right.receive();
    expect(binary.kind === 'binary' && [...binary.bytes]).toEqual([0, 255, 1]);
    expect(await right.receive()).toEqual({ kind: 'text', text: '' });
    await left.close(1000, '');
  });

  test('both directions are independent', async () => {
    const [left, right] = await openPair();

    await Promise.all([left.send({ kind: 'text', text: 'to right' }), right.send({ kind: 'text', text: 'to left' })]);

    expect(await left.receive()).toEqual({ kind: 'text', text: 'to left' });
    expect(await right.receive()).toEqual({ kind: 'text', text: 'to right' });
    await left.close(1000, '');
  });

  test('a goodbye reaches the other end with its code and reason', async () => {
    const [left, right] = await openPair();

    await left.close(4001, 'no more');

    expect(await right.receive()).toEqual({ kind: 'closed', code: 4001, reason: 'no more', clean: true });
    expect([left.state, right.state]).toEqual(['closed', 'closed']);
  });

  test('frames that came before the end are handed out before it', async () => {
    const [left, right] = await openPair();

    await left.send({ kind: 'text', text: 'last words' });
    await left.close(1000, '');

    expect(await right.receive()).toEqual({ kind: 'text', text: 'last words' });
    expect(await right.receive()).toMatchObject({ kind: 'closed', code: 1000 });
    expect(await right.receive()).toMatchObject({ kind: 'closed', code: 1000 });
  });

  test('the end is told although a frame is unread, and to late listeners at once', async () => {
    const [left, right] = await openPair();
    const told = new Promise<TransportClosed>((resolve) => right.onClosed(resolve));

    await left.send({ kind: 'text', text: 'unread' });
    left.terminate();

    expect(await told).toMatchObject({ kind: 'closed', code: 1006, clean: false });
    const late: TransportClosed[] = [];
    right.onClosed((closed) => late.push(closed));
    expect(late).toHaveLength(1);
  });

  test('a listener that was taken back hears nothing', async () => {
    const [left, right] = await openPair();
    const heard: string[] = [];
    const forget = right.onClosed(() => heard.push('taken back'));
    right.onClosed(() => heard.push('kept'));

    forget();
    await left.close(1000, '');
    await right.receive();

    expect(heard).toEqual(['kept']);
  });

  test('a waiting reader is woken by the end', async () => {
    const [left, right] = await openPair();
    const waiting = right.receive();

    left.terminate();

    expect(await waiting).toMatchObject({ kind: 'closed' });
  });

  test('sending after the end is an error, closing again is not', async () => {
    const [left, right] = await openPair();

    await left.close(1000, '');
    await right.receive();

    await expect(left.send({ kind: 'text', text: 'x' })).rejects.toBeInstanceOf(TransportError);
    await expect(right.send({ kind: 'text', text: 'x' })).rejects.toBeInstanceOf(TransportError);
    await left.close(1000, '');
    left.terminate();
  });

  test('a second reader is a mistake that is named', async () => {
    const [left, right] = await openPair();
    const first = right.receive();

    await expect(right.receive()).rejects.toThrow('one reader at a time');
    await left.close(1000, '');
    await first;
  });
}
