import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROLE_NEEDED } from '@/lib/relay-protocol/commands';
import { createMemoryEngine } from '@/relay/engine/memory-engine';
import { createFakeClock } from '@/relay/gateway/testing/fake-clock';
import { createNodeRandom } from '@/relay/net/node-random';
import { loadAdminToken } from './admin-token';
import { createAllowList } from './allow-list';
import { createIdentify, type RequestFacts } from './identify';
import { may } from './may';
import { readSessionCookie, setSessionCookie, withoutSessionCookies } from './session-cookie';
import { createSessions, SESSION_MS } from './sessions';
import { createSignInCodes, SIGN_IN_CODE_MS, signInUrl } from './sign-in-codes';
import { createTickets, TICKET_MS } from './tickets';

function parts() {
  const clock = createFakeClock();
  const random = createNodeRandom();
  const { kv } = createMemoryEngine({ clock, random });
  return {
    clock,
    kv,
    random,
    sessions: createSessions({ kv, clock, random }),
    codes: createSignInCodes({ kv, clock, random }),
    tickets: createTickets({ clock, random }),
  };
}

const allowList = createAllowList({
  host: '127.0.0.1',
  port: 3000,
  allowedHosts: [],
  publicOrigin: undefined,
  ownAddresses: [],
});

test('the API token is made once, kept for its owner only, and the same at the next start', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'orrery-token-'));
  const first = loadAdminToken(dataDir, undefined, createNodeRandom());
  const second = loadAdminToken(dataDir, undefined, createNodeRandom());
  expect(second.token).toBe(first.token);
  expect(readFileSync(first.file ?? '', 'utf8').trim()).toBe(first.token);
  expect(statSync(first.file ?? '').mode & 0o777).toBe(0o600);
});

test('a torn token file heals itself', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'orrery-token-'));
  writeFileSync(join(dataDir, 'token'), '');
  expect(loadAdminToken(dataDir, undefined, createNodeRandom()).token).toMatch(/^orrery_[0-9a-f]{64}$/);
});

test('a sign-in code is good once, and for ten minutes only', () => {
  const { codes, clock } = parts();
  const code = codes.issue();
  expect([codes.redeem(code), codes.redeem(code), codes.redeem('guess')]).toEqual([true, false, false]);
  const late = codes.issue();
  clock.advance(SIGN_IN_CODE_MS + 1);
  expect(codes.redeem(late)).toBe(false);
});

test('a sign-in link keeps its code behind the hash, where no server and no referrer sees it', () => {
  expect(new URL(signInUrl('http://localhost:3000', 'abc')).hash).toBe('#code=abc');
});

test('the value of a session cookie is nowhere in the store', () => {
  const { clock, random, kv } = parts();
  const written: unknown[] = [];
  const watched: typeof kv = {
    ...kv,
    write(writes) {
      written.push(...writes);
      kv.write(writes);
    },
  };
  const sessions = createSessions({ kv: watched, clock, random });
  const cookieValue = sessions.start('operator', 'admin');
  expect(written).toHaveLength(1);
  expect(JSON.stringify(written)).not.toContain(cookieValue);
  expect(sessions.find(cookieValue)).toMatchObject({ actor: 'operator', role: 'admin' });
});

test('a session ends by sign-out, which is told at once, and by time', () => {
  const { sessions, clock } = parts();
  const ended: string[] = [];
  sessions.onEnded((sessionId) => ended.push(sessionId));
  const first = sessions.start('operator', 'admin');
  const sessionId = sessions.find(first)?.sessionId ?? '';
  sessions.end(sessionId);
  expect(sessions.find(first)).toBeUndefined();
  expect(ended).toEqual([sessionId]);
  const second = sessions.start('operator', 'admin');
  clock.advance(SESSION_MS + 1);
  expect(sessions.find(second)).toBeUndefined();
});

test('a ticket is good once, for 30 s, and void when its session ends', () => {
  const { tickets, clock } = parts();
  const holder = { actor: 'operator', role: 'admin', sessionId: 's1' } as const;
  const ticket = tickets.issue(holder) ?? '';
  expect(tickets.redeem(ticket)).toEqual(holder);
  expect(tickets.redeem(ticket)).toBeUndefined();
  const late = tickets.issue(holder) ?? '';
  clock.advance(TICKET_MS);
  expect(tickets.redeem(late)).toBeUndefined();
  const revoked = tickets.issue(holder) ?? '';
  tickets.revokeOf('s1');
  expect(tickets.redeem(revoked)).toBeUndefined();
});

test('one holder cannot pile up tickets, does not hinder others, and gets new ones when the old are used or too old', () => {
  const { tickets, clock } = parts();
  const mine = { actor: 'a', role: 'admin', sessionId: 's1' } as const;
  const issued = Array.from({ length: 300 }, () => tickets.issue(mine)).filter((ticket) => ticket !== undefined);
  expect(issued).toHaveLength(256);
  expect(tickets.issue({ ...mine, sessionId: 's2' })).toBeDefined();
  tickets.redeem(issued[0] ?? '');
  expect([tickets.issue(mine) !== undefined, tickets.issue(mine) !== undefined]).toEqual([true, false]);
  clock.advance(TICKET_MS);
  expect(tickets.issue(mine)).toBeDefined();
});

test('[S15] the cookie is HttpOnly and SameSite=Strict, and Secure with the __Host- name over https', () => {
  expect(setSessionCookie('v', 'plain')).toBe('orrery_session=v; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict');
  expect(setSessionCookie('v', 'secure')).toBe(
    '__Host-orrery_session=v; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure',
  );
  expect(readSessionCookie('theme=dark; orrery_session=v', 'plain')).toBe('v');
  expect(withoutSessionCookies('theme=dark; orrery_session=v')).toBe('theme=dark');
});

test.each([
  ['http://localhost:3000', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://localhost:3000.evil.test', false],
  ['http://evil.test/?http://localhost:3000', false],
  ['http://evil-localhost:3000', false],
  ['http://localhost:3000@evil.test', false],
  ['http://user@localhost:3000', false],
  ['null', false],
  ['http://localhost:3001', false],
  ['http://localhost', false],
  ['HTTP://LOCALHOST:3000', false],
  ['http://localhost.:3000', false],
  ['https://localhost:3000', false],
  [undefined, false],
])('[S01] the origin %s is allowed: %s', (origin, allowed) => {
  expect(allowList.isOriginAllowed(origin)).toBe(allowed);
});

test.each([
  ['localhost:3000', true],
  ['LocalHost:3000', true],
  ['[::1]:3000', true],
  ['evil.test', false],
  ['evil.test:3000', false],
  ['localhost:3000.evil.test', false],
  ['localhost.evil.test:3000', false],
  ['127.0.0.1.nip.io:3000', false],
  ['localhost', false],
  ['', false],
  [undefined, false],
])('[S02] the host %s is allowed: %s', (host, allowed) => {
  expect(allowList.isHostAllowed(host)).toBe(allowed);
});

test('extra host names, a public origin and the addresses of this machine are allowed when they are configured', () => {
  const list = createAllowList({
    host: '0.0.0.0',
    port: 8080,
    allowedHosts: ['orrery.lan', 'box:9000'],
    publicOrigin: 'https://orrery.example',
    ownAddresses: ['192.168.1.7', 'fd00::7'],
  });
  for (const host of [
    'orrery.lan',
    'orrery.lan:8080',
    'box:9000',
    'orrery.example',
    '192.168.1.7:8080',
    '[fd00::7]:8080',
  ]) {
    expect([host, list.isHostAllowed(host)]).toEqual([host, true]);
  }
  expect(list.isHostAllowed('box:8080')).toBe(false);
  expect(list.isOriginAllowed('https://orrery.example')).toBe(true);
  expect(list.isOriginAllowed('http://orrery.example')).toBe(false);
  expect(list.origin).toBe('https://orrery.example');
});

function identified(request: Partial<RequestFacts>, cookieValue?: string) {
  const { sessions } = parts();
  const value = cookieValue ?? sessions.start('operator', 'operator');
  const identify = createIdentify({ adminToken: 't'.repeat(32), sessions, allowList, cookieSecurity: 'plain' });
  const facts = { method: 'GET', authorization: undefined, cookie: undefined, origin: undefined, fetchSite: undefined };
  const cookie = request.cookie === 'mine' ? `orrery_session=${value}` : request.cookie;
  return identify({ ...facts, ...request, cookie });
}

test('the token makes an admin; a wrong one is nobody, even beside a good cookie', () => {
  const right = identified({ authorization: `Bearer ${'t'.repeat(32)}` });
  expect(right).toMatchObject({ kind: 'known', identity: { actor: { role: 'admin', via: 'api' }, sessionId: null } });
  expect(identified({ authorization: `Bearer ${'t'.repeat(31)}x`, cookie: 'mine' }).kind).toBe('unknown');
  expect(identified({ authorization: 'Basic abc', cookie: 'mine' }).kind).toBe('unknown');
});

test.each([
  [{ method: 'GET' }, 'known'],
  [{ method: 'POST' }, 'foreign'],
  [{ method: 'POST', origin: 'http://localhost:3000' }, 'known'],
  [{ method: 'POST', origin: 'http://evil.test' }, 'foreign'],
  [{ method: 'POST', origin: 'null' }, 'foreign'],
  [{ method: 'POST', fetchSite: 'same-origin' }, 'known'],
  [{ method: 'DELETE', fetchSite: 'same-site', origin: 'http://localhost:3000' }, 'foreign'],
  [{ method: 'DELETE', fetchSite: 'cross-site' }, 'foreign'],
] as const)('a cookie with %o is %s: only our own pages may change things with it', (request, kind) => {
  expect(identified({ ...request, cookie: 'mine' }).kind).toBe(kind);
});

test('every command has a least role, and a lower one is refused by name', () => {
  const viewer = { name: 'ann', role: 'viewer', via: 'ui' } as const;
  for (const type of Object.keys(ROLE_NEEDED) as (keyof typeof ROLE_NEEDED)[]) expect(may(viewer, type).ok).toBe(false);
  expect(may({ ...viewer, role: 'operator' }, 'run-launch').ok).toBe(true);
  expect(may({ ...viewer, role: 'operator' }, 'device-add')).toMatchObject({ error: { code: 'forbidden' } });
  expect(may({ ...viewer, role: 'admin' }, 'device-add').ok).toBe(true);
});
