import { connect, createServer, type Socket } from 'node:net';

/** A cable that can be frozen or cut, between anything that speaks TCP. */
export type TcpProxy = {
  readonly port: number;
  /** Keeps connections open and passes nothing on: the peer is there and silent. */
  freeze(): void;
  thaw(): void;
  /** Ends every connection; new ones are refused until `mend`. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
};

type Pair = readonly [Socket, Socket];

const directionsOf = ([near, far]: Pair): readonly Pair[] => [
  [near, far],
  [far, near],
];

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let isFrozen = false;
  let isCut = false;

  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(targetPort, '127.0.0.1');
    const pair: Pair = [near, far];
    pairs.add(pair);
    for (const [from, to] of directionsOf(pair)) {
      if (!isFrozen) from.pipe(to);
      // A broken cable is what this proxy is for; the other end learns of it by the close.
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();

  const everyDirection = () => [...pairs].flatMap(directionsOf);
  const drop = () => {
    for (const socket of [...pairs].flat()) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    freeze() {
      isFrozen = true;
      for (const [from, to] of everyDirection()) {
        from.unpipe(to);
        from.pause();
      }
    },
    thaw() {
      isFrozen = false;
      for (const [from, to] of everyDirection()) from.pipe(to);
    },
    cut() {
      isCut = true;
      drop();
    },
    mend() {
      isCut = false;
    },
    async stop() {
      drop();
      await new Promise((done) => server.close(done));
    },
  };
}
