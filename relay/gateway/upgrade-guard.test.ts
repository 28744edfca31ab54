import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SUBPROTOCOL } from '@/lib/relay-protocol/version';
import { createAllowList } from '@/relay/auth/allow-list';
import { listen } from '@/relay/listen';
import { answerAndDestroy, refuseUpgrade } from './upgrade-guard';

type GuardCase = {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
  readonly output: { readonly status: number };
};

const vectors: { cases: readonly GuardCase[] } = JSON.parse(
  await readFile(new URL('./testing/vectors/host_guard.json', import.meta.url), 'utf8'),
);

/** The recorded requests are for a server on this port. */
const PORT = 8010;

const FOREIGN_HOST = 421;
const FOREIGN_PAGE = 403;
const LET_IN = 200;

/** Where we answer something else than the recording, and why. A foreign host has a status of its own besides. */
const OURS: Readonly<Record<string, { readonly status: number; readonly why: string }>> = {
  '{"Host": "localhost"}': { status: FOREIGN_HOST, why: 'without a port it names the server on port 80' },
  '{"Host": "LOCALHOST:8010"}': {
    status: LET_IN,
    why: 'the case of a host name means nothing, and no page can fake it',
  },
  '{"Host": "localhost:8010", "Origin": "http://localhost:3000"}': {
    status: FOREIGN_PAGE,
    why: 'a page of another port is a page of another program',
  },
};

const allowList = createAllowList({
  host: '127.0.0.1',
  port: PORT,
  allowedHosts: [],
  publicOrigin: undefined,
  ownAddresses: [],
});

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer().on('upgrade', (request, socket) => {
    const refusal = refuseUpgrade(request, allowList);
    answerAndDestroy(socket, refusal ?? { status: LET_IN, code: 'let-in', detail: '' });
  });
  port = await listen(server, '127.0.0.1', 0);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const SOCKET_HEADERS = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  `Sec-WebSocket-Protocol: ${SUBPROTOCOL}`,
];

/** The status that a request with these header lines gets, byte for byte as they stand. */
function statusOf(headers: readonly string[], requestLine = 'GET /ws HTTP/1.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(Buffer.concat(chunks).toString('latin1').split(' ')[1])));
    socket.write(`${[requestLine, ...headers, ...SOCKET_HEADERS].join('\r\n')}\r\n\r\n`);
  });
}

function titleOf({ name }: GuardCase): string {
  const ours = OURS[name];
  return ours === undefined ? name : `${name}, where ours is ${ours.status}: ${ours.why}`;
}

function expectedOf({ name, input, output }: GuardCase): number {
  const ours = OURS[name];
  if (ours !== undefined) return ours.status;
  if (output.status === LET_IN) return LET_IN;
  return allowList.isHostAllowed(input.Host) ? FOREIGN_PAGE : FOREIGN_HOST;
}

describe('a browser that wants a socket', () => {
  test.each(vectors.cases.map((each) => [titleOf(each), each] as const))('[AIP-30] %s', async (_title, each) => {
    const lines = Object.entries(each.input).map(([name, value]) => `${name}: ${value}`);
    expect(await statusOf(lines)).toBe(expectedOf(each));
  });

  test('every answer of ours that differs belongs to a recorded case, and does differ', () => {
    const recorded = new Map(vectors.cases.map(({ name, output }) => [name, output.status === LET_IN]));
    for (const [name, { status }] of Object.entries(OURS)) {
      expect([name, recorded.get(name)]).toEqual([name, status !== LET_IN]);
    }
  });

  test.each([
    'localhost',
    '127.0.0.1',
    'localhost:80',
    'localhost:08010',
    'localhost:8010:8010',
    'localhost.:8010',
    'localhost..:8010',
    'localhost.localdomain:8010',
    'a.localhost:8010',
    'localhost:8010.evil.example',
    'localhost:8010@evil.example',
    'evil.example@localhost:8010',
    'localhost,evil.example',
    'localhost:8010, evil.example:8010',
    'http://localhost:8010',
    'localhost%3a8010',
    'ｌocalhost:8010',
    'ⓛocalhost:8010',
    'xn--localhost:8010',
    '127.1:8010',
    '127.0.0.1.:8010',
    '127.0.0.01:8010',
    '0177.0.0.1:8010',
    '0x7f.0.0.1:8010',
    '2130706433:8010',
    '0.0.0.0:8010',
    '127.0.0.1.nip.io:8010',
    '::1:8010',
    '[::]:8010',
    '[::1]',
    '[::1%25lo]:8010',
    '[0:0:0:0:0:0:0:1]:8010',
    '[::ffff:127.0.0.1]:8010',
    '[::ffff:7f00:1]:8010',
    '169.254.169.254:8010',
    '*',
    'null',
  ])('[AIP-30] the host %s is none of ours, since only whole names count', async (host) => {
    expect(await statusOf([`Host: ${host}`, 'Origin: http://localhost:8010'])).toBe(FOREIGN_HOST);
  });

  test('[AIP-30] a request without a host, and one for another place in its first line, get no socket', async () => {
    expect(await statusOf([], 'GET /ws HTTP/1.0')).toBe(FOREIGN_HOST);
    expect(await statusOf(['Host: localhost:8010'], 'GET http://evil.example/ws HTTP/1.1')).toBe(426);
  });

  test.each([
    'http://localhost',
    'http://localhost:80',
    'http://localhost:8011',
    'http://localhost:08010',
    'http://localhost:8010/',
    'http://localhost:8010/ws',
    'http://LOCALHOST:8010',
    'http://localhost.:8010',
    'http://a.localhost:8010',
    'http://localhost:8010.evil.example',
    'http://localhost:8010@evil.example',
    'http://evil.example/http://localhost:8010',
    'http://user@localhost:8010',
    'https://localhost:8010',
    'ws://localhost:8010',
    'localhost:8010',
    '//localhost:8010',
    'http://127.1:8010',
    'http://2130706433:8010',
    'http://127.0.0.2:8010',
    'http://[::ffff:127.0.0.1]:8010',
    'http://[0:0:0:0:0:0:0:1]:8010',
    'http://localhost:8010 https://evil.example',
    'http://localhost:8010, https://evil.example',
    'file://',
    'about:blank',
    'chrome-extension://abcdefghijklmnop',
    '*',
    'NULL',
    '',
  ])('[AIP-30] a page of the origin "%s" is none of ours', async (origin) => {
    expect(await statusOf(['Host: localhost:8010', `Origin: ${origin}`])).toBe(FOREIGN_PAGE);
  });

  test('[AIP-30] two origins are no origin', async () => {
    const twice = ['Origin: http://localhost:8010', 'Origin: https://evil.example'];
    expect(await statusOf(['Host: localhost:8010', ...twice])).toBe(FOREIGN_PAGE);
    expect(await statusOf(['Host: localhost:8010', ...twice.toReversed()])).toBe(FOREIGN_PAGE);
  });

  test.each([
    'same-site',
    'cross-site',
    'Same-Origin',
    'same-origin, cross-site',
    'none, cross-site',
    'null',
    'other',
    '',
  ])(
    '[AIP-30] a browser that says "%s" of where a request comes from is believed, even beside our own origin',
    async (site) => {
      const own = ['Host: localhost:8010', 'Origin: http://localhost:8010'];
      expect(await statusOf([...own, `Sec-Fetch-Site: ${site}`])).toBe(FOREIGN_PAGE);
    },
  );

  test.each(['http://localhost:8010', 'http://127.0.0.1:8010', 'http://[::1]:8010'])(
    '[AIP-30] our own page %s is let in, under each of our names',
    async (origin) => {
      for (const host of ['localhost:8010', '127.0.0.1:8010', '[::1]:8010']) {
        expect(await statusOf([`Host: ${host}`, `Origin: ${origin}`, 'Sec-Fetch-Site: same-origin'])).toBe(LET_IN);
      }
    },
  );
});
