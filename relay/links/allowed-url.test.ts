import { describe, expect, test } from 'vitest';
import { ConnectError } from '@/lib/aip/transport/transport';
import type { AddressPolicy } from './address-policy';
import { checkServerUrl, createGuardedLookup } from './allowed-url';
import { splitServerUrl } from './server-address';

const HOME: AddressPolicy = {
  networks: ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
const PUBLIC: AddressPolicy = { networks: [] };
const LAB: AddressPolicy = { networks: ['10.1.0.0/16', '100.64.0.0/10', '8.8.8.0/24'] };

function verdict(url: string, policy: AddressPolicy): string {
  const split = splitServerUrl(url);
  if (!split.ok) return split.error;
  const checked = checkServerUrl(split.value.shown, policy);
  return checked.ok ? 'allowed' : checked.error;
}

const NEVER = [
  // metadata and link-local, in every spelling
  'ws://169.254.169.254/latest',
  'wss://169.254.169.254/',
  'ws://2852039166/',
  'ws://0xa9fea9fe/',
  'ws://0251.0376.0251.0376/',
  'ws://169.254.43518/',
  'ws://[::ffff:169.254.169.254]/',
  'ws://[::ffff:a9fe:a9fe]/',
  'ws://[fe80::1]/',
  'wss://[fd00:ec2::254]/',
  'wss://[fd00:0ec2:0:0:0:0:0:0254]/',
  'wss://100.100.100.200/',
  'wss://192.0.0.192/',
  'ws://169.254.169.254./',
  'ws://%31%36%39.254.169.254/',
  'ws://0xA9.254.0251.0376/',
  'ws://169.254.170.2/',
  'wss://[fd00:ec2::23]/',
  'wss://[fd20:ce::254]/',
  'wss://[fd00:42::42]/',
  'wss://168.63.129.16/',
  'wss://[::ffff:168.63.129.16]/',
  'ws://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
  // nobody's server
  'ws://0/',
  'ws://0.0.0.0:5000/',
  'ws://[::]/',
  'ws://224.0.0.1/',
  'ws://239.255.255.250/',
  'ws://[ff02::1]/',
  'ws://255.255.255.255/',
  'ws://240.0.0.1/',
  'ws://192.0.2.1/',
  'ws://198.51.100.7/',
  'ws://203.0.113.9/',
  'wss://[2001:db8::1]/',
  'wss://[100::1]/',
  'wss://[fec0::1]/',
  'wss://[::127.0.0.1]/',
  'wss://[::7f00:1]/',
  'wss://0.1.2.3/',
  'wss://192.0.0.8/',
  'wss://192.88.99.1/',
  'wss://198.18.0.1/',
  'wss://[100:0:0:1::1]/',
  'wss://[2001:2::1]/',
  'wss://[2001:20::1]/',
  'wss://[3fff::1]/',
  'wss://[4000::1]/',
  'wss://[5f00::1]/',
  // an IPv4 address carried inside of an IPv6 one
  'ws://[64:ff9b::7f00:1]/',
  'wss://[64:ff9b::a9fe:a9fe]/',
  'wss://[64:ff9b::10.0.0.1]/',
  'wss://[64:ff9b::100.100.100.200]/',
  'wss://[64:ff9b::168.63.129.16]/',
  'wss://[64:ff9b:1::7f00:1]/',
  'wss://[64:ff9b:1::8.8.8.8]/',
  'wss://[64:ff9b:1:7f00:0:100:808:808]/',
  'wss://[::ffff:0:7f00:1]/',
  'wss://[::ffff:0:808:808]/',
  'wss://[2002:7f00:1::]/',
  'wss://[2002:a00:1::1]/',
  'wss://[2002:a9fe:a9fe::]/',
  'wss://[2002:a83f:8110::1]/',
  'wss://[2001:0:7f00:1::]/',
  'wss://[2001:0:4136:e378:8000:63bf:80ff:fffe]/',
];

const ONLY_IN_NETWORKS = [
  'ws://127.0.0.1:5000/ws?token=a',
  'ws://127.1/',
  'ws://0x7f.1/',
  'ws://2130706433/',
  'ws://0177.0.0.1/',
  'ws://017700000001/',
  'ws://127.0.0.1./',
  'ws://localhost:5000/ws',
  'ws://LOCALHOST:5000/ws',
  'ws://localhost./ws',
  'ws://any.localhost/ws',
  'wss://127.0.0.1/',
  'ws://[::1]:5000/',
  'ws://[0:0:0:0:0:0:0:1]/',
  'ws://[::ffff:127.0.0.1]/',
  'ws://[::ffff:7f00:1]/',
  'ws://10.0.0.1/ws',
  'ws://172.16.0.1/ws',
  'ws://192.168.1.100:5000/ws',
  'wss://192.168.1.100/ws',
  'ws://[fd12:3456::1]/',
  'WS://127.255.255.254/',
  'ws://0x7F000001/',
  'ws://127.0.0.0x1/',
  'ws://127。0。0。1/',
  'ws://１２７.1/',
  'ws://%6cocalhost/',
  'ws://localhost%2e/',
  'ws://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
  'ws://local\u00adhost/',
  'ws://[0000:0000::0001]/',
  'ws://[::FFFF:127.0.0.1]/',
  'ws://192.168.257/',
  'ws://[fdff:ffff::1]/',
];

const MALFORMED: readonly (readonly [string, RegExp])[] = [
  ['http://10.0.0.1/', /with ws:\/\/ or wss:\/\//],
  ['file:///etc/passwd', /with ws:\/\/ or wss:\/\//],
  ['gopher://10.0.0.1/', /with ws:\/\/ or wss:\/\//],
  ['10.0.0.1:5000', /no URL|with ws/],
  ['ws://', /no URL/],
  ['ws://10.0.0.1:0/', /port from 1 to 65535/],
  ['ws://10.0.0.1:65536/', /no URL/],
  ['ws://10.0.0.1:port/', /no URL/],
  ['ws://user:hunter2@10.0.0.1/', /without user name and password/],
  ['ws://10.0.0.1@169.254.169.254/', /without user name and password/],
  ['ws://@10.0.0.1/', /without user name and password/],
  ['ws://:@10.0.0.1/', /without user name and password/],
  ['ws://10.0.0.1:hunter2@evil.example/', /without user name and password/],
  ['ws://1.2.3.4.5/', /no URL/],
  ['ws://4294967296/', /no URL/],
  ['ws://[fe80::1%25eth0]/', /no URL/],
  ['ws://10.0.0.1:-1/', /no URL/],
  ['ws://10.0.0.1:5e3/', /no URL/],
  ['ws://10.0.0.1:00000/', /port from 1 to 65535/],
  // mended by the URL standard, and read differently by others
  ['wss:8.8.8.8', /a host after ws:\/\//],
  ['wss:/8.8.8.8/ws', /a host after ws:\/\//],
  ['wss:///8.8.8.8/ws', /a host after ws:\/\//],
  ['wss:////8.8.8.8/ws', /a host after ws:\/\//],
  ['wss:\\\\8.8.8.8\\ws', /without spaces, line breaks and backslashes/],
  ['wss://\\8.8.8.8/ws', /without spaces, line breaks and backslashes/],
  ['wss://8.8.8.8\\@evil.example/', /without spaces, line breaks and backslashes/],
  ['w\ns://10.0.0.1/', /without spaces, line breaks and backslashes/],
  ['ws://10.0.\n0.1/', /without spaces, line breaks and backslashes/],
  ['ws://10.0.0.1/\tws?token=hunter2', /without spaces, line breaks and backslashes/],
  ['ws://10.0.0.1/a b', /without spaces, line breaks and backslashes/],
  ['wss://a..example/', /name or address of a host/],
  ['wss://.example/', /name or address of a host/],
  ['wss://*.example/', /name or address of a host/],
  ['ws://127.0.0.1../', /name or address of a host/],
  ['ws://localhost../', /name or address of a host/],
  [`wss://${'a'.repeat(64)}.example/`, /name or address of a host/],
  [`wss://${'a.'.repeat(130)}example/`, /name or address of a host/],
  ['ws://256.1.1.1/', /no URL/],
  ['ws://[::1/', /no URL/],
  ['', /no URL/],
];

describe('the address of a device server', () => {
  test.each(NEVER)('[S36] %s is allowed under no policy', (url) => {
    for (const policy of [HOME, PUBLIC, LAB, { networks: ['0.0.0.0/0', '::/0'] }]) {
      expect(verdict(url, policy)).not.toBe('allowed');
    }
  });

  test.each(ONLY_IN_NETWORKS)('[S36] %s is allowed exactly where its network is', (url) => {
    expect(verdict(url, HOME)).toBe('allowed');
    expect(verdict(url, PUBLIC)).toMatch(/is private; to allow it, add its network to ORRERY_DEVICE_NETWORKS/);
  });

  test.each(MALFORMED)('[S36] %s is refused with what was expected, without its secret', (url, reason) => {
    expect(verdict(url, HOME)).toMatch(reason);
    expect(verdict(url, HOME)).not.toContain('hunter2');
  });

  test('[AIP-32] metadata, shared ranges, userinfo and impossible ports are refused even where all networks are listed', () => {
    const everywhere = { networks: ['0.0.0.0/0', '::/0'] };
    for (const url of ['wss://[fd00:ec2::254]/', 'wss://100.100.100.200/', 'ws://a:b@10.0.0.1/', 'ws://10.0.0.1:0/']) {
      expect(verdict(url, everywhere)).not.toBe('allowed');
    }
    expect(verdict('wss://100.64.0.1/', PUBLIC)).toMatch(/is private/);
    expect(verdict('wss://100.127.255.254/', HOME)).toMatch(/is private/);
  });

  test.each([
    'wss://device.example/ws',
    'WSS://Device.Example:5000/ws?token=a',
    'wss://device.example./ws',
    'wss://exa_mple/ws',
    'wss://bücher.example/ws',
    'wss://8.8.8.8:05000/ws',
    'wss://8.8.8.8:/ws',
    'wss://8.8.8.8?token=a',
    'wss://8.8.8.8',
    'wss://[2606:4700::1111]:65535/ws',
  ])('%s is an address as good as any', (url) => {
    expect(verdict(url, PUBLIC)).toBe('allowed');
  });

  test('[S42] a public address needs wss, unless the operator trusts its network', () => {
    expect(verdict('wss://1.1.1.1/ws', PUBLIC)).toBe('allowed');
    expect(verdict('ws://1.1.1.1/ws', PUBLIC)).toMatch(/where wss is needed/);
    expect(verdict('ws://8.8.8.8/ws', LAB)).toBe('allowed');
    expect(verdict('wss://[2606:4700::1111]/ws', PUBLIC)).toBe('allowed');
    expect(verdict('wss://[64:ff9b::808:808]/ws', PUBLIC)).toBe('allowed');
    expect(verdict('ws://10.1.2.3/ws', LAB)).toBe('allowed');
    expect(verdict('ws://10.2.2.3/ws', LAB)).toMatch(/is private/);
    expect(verdict('ws://100.64.1.1/ws', LAB)).toBe('allowed');
    expect(verdict('ws://100.64.1.1/ws', HOME)).toMatch(/is private/);
  });
});

function look(shown: string, policy: AddressPolicy, found: readonly string[]): Promise<string> {
  const lookup = createGuardedLookup(shown, policy, (_hostname, _options, done) =>
    done(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
  );
  return new Promise((resolve, reject) => {
    lookup('device.example', {}, (error, address) => (error === null ? resolve(String(address)) : reject(error)));
  });
}

describe('a host name', () => {
  test('[S37] is connected to only when each of its addresses is allowed', async () => {
    await expect(look('wss://device.example/ws', PUBLIC, ['1.1.1.1'])).resolves.toBe('1.1.1.1');
    await expect(look('wss://device.example/ws', PUBLIC, ['1.1.1.1', '127.0.0.1'])).rejects.toMatchObject({
      code: 'address-not-allowed',
    });
    await expect(look('ws://device.example/ws', HOME, ['10.0.0.7'])).resolves.toBe('10.0.0.7');
    await expect(look('ws://device.example/ws', HOME, ['1.1.1.1'])).rejects.toThrow(/where wss is needed/);
    await expect(look('ws://device.example/ws', HOME, ['169.254.169.254'])).rejects.toBeInstanceOf(ConnectError);
  });

  test('[S37] is checked anew at each connection', async () => {
    const answers = [['1.1.1.1'], ['127.0.0.1']];
    const lookup = createGuardedLookup('wss://device.example/ws', PUBLIC, (_hostname, _options, done) =>
      done(
        null,
        (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
      ),
    );
    const once = () =>
      new Promise((resolve) =>
        lookup('device.example', { all: true }, (error, addresses) => resolve(error ?? addresses)),
      );

    expect(await once()).toEqual([{ address: '1.1.1.1', family: 4 }]);
    expect(await once()).toMatchObject({ code: 'address-not-allowed' });
  });

  test('that cannot be resolved hands on the reason', async () => {
    await expect(look('wss://device.example/ws', PUBLIC, [])).rejects.toMatchObject({ code: 'dns' });
  });
});
