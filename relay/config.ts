import { z } from 'zod';
import { err, ok, type Result } from '@/lib/std/result';
import { isLoopbackHost } from './net/loopback-host';
import * as read from './settings';

const { setting } = read;

/** Loopback and the private ranges: where device servers usually stand. */
const HOME_NETWORKS = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] as const;

/** What a person may set; `.env.example` is made from it. */
export const publicSettings = {
  ORRERY_HOST: setting({
    about:
      'Address to listen on. Outside of loopback put a proxy with TLS in front and name it in ORRERY_PUBLIC_ORIGIN: cookies and tokens would travel in the clear.',
    fallback: '127.0.0.1',
    read: read.listenHost,
  }),
  ORRERY_PORT: setting({
    about: 'The only public port: pages, API and sockets. 0 takes a free one.',
    fallback: '3000',
    read: read.wholeNumber(0, 65_535),
  }),
  ORRERY_DATA_DIR: setting({
    about: 'Folder for the journal, keys, the API token and logs. Made with mode 0700 if it is missing.',
    fallback: '.orrery',
    read: read.someText,
  }),
  ORRERY_TOKEN: setting({
    about:
      'Admin token for the API (Authorization: Bearer …), 16 to 512 characters. Unset: made once and kept in <data folder>/token with mode 0600.',
    fallback: '',
    read: read.secretToken,
    secrecy: 'secret',
  }),
  ORRERY_LOCAL_DEVICE: setting({
    about: 'on or off: a device with the id "local" on this machine, so that there is something to operate at once.',
    fallback: 'on',
    read: read.oneOf(['on', 'off']),
  }),
  ORRERY_DEVICE_FORGET_AFTER: setting({
    about:
      'Removes a device that has been away for this long, with a journal entry: off, or a duration such as 30d or 12h.',
    fallback: 'off',
    read: read.durationMs,
  }),
  ORRERY_DEVICE_NETWORKS: setting({
    about: `Networks (CIDR, separated by commas) in which device servers may have private addresses and plain ws. Unset: ${HOME_NETWORKS.join(',')} while ORRERY_HOST is a loopback address, else none.`,
    fallback: '',
    read: read.cidrList,
  }),
  ORRERY_ALLOWED_HOSTS: setting({
    about:
      'More host names (with or without a port, separated by commas) by which browsers may reach the relay. Loopback names and ORRERY_HOST are always allowed; others are refused against DNS rebinding.',
    fallback: '',
    read: read.hostList,
  }),
  ORRERY_PUBLIC_ORIGIN: setting({
    about:
      'Where a proxy with TLS shows the relay, such as https://orrery.example. Sign-in links name it and cookies become Secure.',
    fallback: '',
    read: read.origin,
  }),
  ORRERY_LOG_LEVEL: setting({
    about: 'error, warn, info or debug.',
    fallback: 'info',
    read: read.oneOf(['error', 'warn', 'info', 'debug']),
  }),
  ORRERY_MAX_CONNECTIONS: setting({
    about: 'Browser sockets at once.',
    fallback: '10000',
    read: read.wholeNumber(1, 1_000_000),
  }),
  ORRERY_MAX_CONNECTIONS_PER_ADDRESS: setting({
    about:
      'Browser sockets at once from one address (an IPv6 /64 counts as one). Raise it behind a proxy, where all come from one.',
    fallback: '100',
    read: read.wholeNumber(1, 1_000_000),
  }),
  ORRERY_MAX_REQUEST_BYTES: setting({
    about: 'Largest body of an API request, such as an imported constellation: 512KiB, 16MiB.',
    fallback: '16MiB',
    read: read.byteSize,
  }),
} as const;

/** Set by the start script, not by people. */
const internalSettings = {
  ORRERY_NEXT_ORIGIN: setting({
    about: 'Where the page server listens on loopback. Unset: the relay runs alone, API only.',
    fallback: '',
    read: read.origin,
  }),
  ORRERY_NEXT_STATIC_DIR: setting({
    about: 'Folder behind /_next/static, which the relay serves by itself.',
    fallback: '.next/static',
    read: read.someText,
  }),
  ORRERY_LOCAL_DEVICE_URL: setting({
    about: 'Address of the built-in device server, with its token.',
    fallback: '',
    read: read.anyText,
    secrecy: 'secret',
  }),
} as const;

const environmentSchema = z.object({ ...publicSettings, ...internalSettings });

export type RelayConfig = {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly token: string | undefined;
  readonly localDevice: 'on' | 'off';
  /** Holds a secret. */
  readonly localDeviceUrl: string | undefined;
  readonly deviceForgetAfterMs: number | undefined;
  readonly deviceNetworks: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly publicOrigin: string | undefined;
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly requestBytesMax: number;
  readonly nextOrigin: string | undefined;
  readonly nextStaticDir: string;
  /** Worth a sentence at start; nothing is wrong enough to refuse. */
  readonly warnings: readonly string[];
};

/** One setting that cannot be used: what was expected, what came, what to do. */
export type ConfigProblem = { readonly setting: string; readonly message: string };

/** Reads all settings and names every problem at once. Pure: the environment comes in. */
export function parseRelayConfig(
  environment: Readonly<Record<string, string | undefined>>,
): Result<RelayConfig, readonly ConfigProblem[]> {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) {
    return err(
      parsed.error.issues.map((issue) => {
        const name = String(issue.path[0]);
        return { setting: name, message: `${name}: ${issue.message}. Correct it, or unset it to use the default.` };
      }),
    );
  }
  const values = parsed.data;
  return ok(
    Object.freeze({
      host: values.ORRERY_HOST,
      port: values.ORRERY_PORT,
      dataDir: values.ORRERY_DATA_DIR,
      token: values.ORRERY_TOKEN,
      localDevice: values.ORRERY_LOCAL_DEVICE,
      localDeviceUrl: values.ORRERY_LOCAL_DEVICE_URL,
      deviceForgetAfterMs: values.ORRERY_DEVICE_FORGET_AFTER,
      deviceNetworks: Object.freeze(
        values.ORRERY_DEVICE_NETWORKS ?? (isLoopbackHost(values.ORRERY_HOST) ? [...HOME_NETWORKS] : []),
      ),
      allowedHosts: Object.freeze(values.ORRERY_ALLOWED_HOSTS),
      publicOrigin: values.ORRERY_PUBLIC_ORIGIN,
      logLevel: values.ORRERY_LOG_LEVEL,
      connectionsMax: values.ORRERY_MAX_CONNECTIONS,
      connectionsPerAddressMax: values.ORRERY_MAX_CONNECTIONS_PER_ADDRESS,
      requestBytesMax: values.ORRERY_MAX_REQUEST_BYTES,
      nextOrigin: values.ORRERY_NEXT_ORIGIN,
      nextStaticDir: values.ORRERY_NEXT_STATIC_DIR,
      warnings: Object.freeze(warningsOf(values)),
    }),
  );
}

function warningsOf(values: z.infer<typeof environmentSchema>): string[] {
  const isPlain = !values.ORRERY_PUBLIC_ORIGIN?.startsWith('https:');
  if (isLoopbackHost(values.ORRERY_HOST) || !isPlain) return [];
  return [
    `ORRERY_HOST is ${values.ORRERY_HOST} and there is no TLS: tokens and cookies can be read on the network. Put a proxy with TLS in front and set ORRERY_PUBLIC_ORIGIN to its https address.`,
  ];
}
