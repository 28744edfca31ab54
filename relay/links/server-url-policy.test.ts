import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parseRelayConfig } from '@/relay/config';
import { cidrList } from '@/relay/settings';
import type { AddressPolicy } from './address-policy';
import { checkServerUrl, createGuardedLookup } from './allowed-url';
import { splitServerUrl } from './server-address';

/** The settings of the stock implementation, as the recording writes them. */
type StockPolicy = {
  readonly block_loopback?: boolean;
  readonly block_private?: boolean;
  readonly allowlist?: readonly string[];
};

type PolicyCase = {
  readonly name: string;
  readonly input: string | { readonly url: string; readonly policy: StockPolicy };
  readonly accept: boolean;
};

const vectors: { cases: readonly PolicyCase[] } = JSON.parse(
  await readFile(new URL('./testing/vectors/server_url_policy.json', import.meta.url), 'utf8'),
);

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** What the name servers of these tests know. */
const ADDRESS_OF: Readonly<Record<string, string>> = {
  'prod.example': '1.1.1.1',
  '169.254.169.254': '169.254.169.254',
};

/** Where we answer something else than the recording, and why. */
const OURS: Readonly<Record<string, { readonly accept: boolean; readonly why: string }>> = {
  "default:'WS://8.8.8.8/ws'": { accept: false, why: 'over plain ws the token would be read on the way' },
  "default:'ws://8.8.8.8/ws?token=a'": { accept: false, why: 'over plain ws the token would be read on the way' },
  "default:'ws://[fd00:ec2::254]/'": { accept: false, why: 'it hands out the credentials of a machine' },
  "default:'ws://8.8.8.8:99999/'": { accept: false, why: 'there is no such port' },
  'block_private:ws://100.64.0.1/': { accept: false, why: 'a shared range is as private as the private ones' },
  'allow_loopback:ws://[::1]/': { accept: true, why: 'loopback is allowed in both families or in none' },
  'allowlist:ws://169.254.169.254/': { accept: false, why: 'no setting lets anybody reach metadata' },
  'parse_allowlist:plain': { accept: false, why: 'we list networks, since a name may lead anywhere tomorrow' },
  "env-flag:'1'": { accept: false, why: 'a switch is on or off, and any other word is told at start' },
  "env-flag:'true'": { accept: false, why: 'a switch is on or off, and any other word is told at start' },
  "env-flag:'TRUE'": { accept: false, why: 'a switch is on or off, and any other word is told at start' },
  "env-flag:' yes '": { accept: false, why: 'a switch is on or off, and any other word is told at start' },
  "env-flag:''": { accept: true, why: 'a setting that is empty has its default' },
};

/** The same in our one setting, the networks in which plain ws and private addresses are allowed. */
function policyOf({ block_loopback, block_private, allowlist }: StockPolicy): AddressPolicy {
  if (allowlist !== undefined) return { networks: allowlist.map((name) => `${ADDRESS_OF[name]}/32`) };
  if (block_private) return { networks: [] };
  return { networks: block_loopback === false ? [...PRIVATE, ...LOOPBACK] : PRIVATE };
}

/** All that is asked before a connection is made: the text, the address in it, and what the name stands for. */
async function isAllowed(text: string, policy: AddressPolicy): Promise<boolean> {
  const split = splitServerUrl(text);
  if (!split.ok) return false;
  const { shown } = split.value;
  if (!checkServerUrl(shown, policy).ok) return false;
  const { hostname } = new URL(shown);
  const address = ADDRESS_OF[hostname];
  if (address === undefined) return true;
  const lookup = createGuardedLookup(shown, policy, (_name, _options, done) => done(null, [{ address, family: 4 }]));
  return new Promise((resolve) => lookup(hostname, {}, (error) => resolve(error === null)));
}

/** An admin's word, where the stock implementation has flags and lists of names. */
function isTaken({ name, input }: PolicyCase): boolean {
  if (name.startsWith('parse_allowlist:')) return cidrList(String(input)).ok;
  const config = parseRelayConfig({ ORRERY_LOCAL_DEVICE: String(input) });
  return config.ok && config.value.localDevice === 'on';
}

function titleOf({ name }: PolicyCase): string {
  const ours = OURS[name];
  return ours === undefined ? name : `${name}, where ours is ${ours.accept ? 'allowed' : 'refused'}: ${ours.why}`;
}

describe('the address of a device server', () => {
  test.each(vectors.cases.map((each) => [titleOf(each), each] as const))(
    '[AIP-31][AIP-32] %s',
    async (_title, each) => {
      const { input } = each;
      const accepted = typeof input === 'string' ? isTaken(each) : await isAllowed(input.url, policyOf(input.policy));
      expect(accepted).toBe(OURS[each.name]?.accept ?? each.accept);
    },
  );

  test('every answer of ours that differs belongs to a recorded case, and does differ', () => {
    const recorded = new Map(vectors.cases.map(({ name, accept }) => [name, accept]));
    for (const [name, { accept }] of Object.entries(OURS)) expect([name, recorded.get(name)]).toEqual([name, !accept]);
  });
});
