import type { FleetCommand } from '@/lib/fleet/commands';
import type { SealedAddress } from '@/lib/fleet/decide-fleet';
import type { DeviceProfile, Fleet } from '@/lib/fleet/device';
import type { DeviceId } from '@/lib/std/ids';
import type { Random } from '@/lib/std/random';
import { err, ok, type Result } from '@/lib/std/result';
import type { Engine, KvWrite } from '@/relay/engine/engine';
import type { AddressPolicy } from '@/relay/links/address-policy';
import { checkServerUrl } from '@/relay/links/allowed-url';
import type { SecretBox } from '@/relay/links/secrets';
import { isSameServer, joinServerUrl, type ServerAddress, splitServerUrl } from '@/relay/links/server-address';

const SPACE = 'device-secret';

/** Addresses of devices: the part that may be shown lies in the fleet, the sealed rest in a space of its own. */
export type DeviceSecrets = {
  /** Says why the address in a command cannot be taken, before anything is decided. */
  check(fleet: Fleet, command: FleetCommand): Result<null, string>;
  /** Called for an address that `check` has let pass; what is to be stored goes to `put`. */
  seal(request: SealRequest): SealedAddress;
  /** The address to connect to. */
  open(profile: DeviceProfile): Result<string, string>;
  remove(profile: DeviceProfile): readonly KvWrite[];
};

export type SealRequest = {
  readonly fleet: Fleet;
  readonly deviceId: DeviceId;
  readonly serverUrl: string;
  readonly put: (write: KvWrite) => void;
};

export type DeviceSecretsOptions = {
  readonly engine: Engine;
  readonly box: SecretBox;
  readonly random: Random;
  readonly policyFor: (deviceId: DeviceId) => AddressPolicy;
};

export function createDeviceSecrets({ engine, box, random, policyFor }: DeviceSecretsOptions): DeviceSecrets {
  function openSecret(secretRef: string): Result<string, string> {
    const sealed = engine.kv.get(SPACE, secretRef);
    if (sealed === undefined) return err('The secret of its address is missing; enter the address again');
    return box.open(secretRef, sealed);
  }

  function open({ serverUrl, secretRef }: DeviceProfile): Result<string, string> {
    if (secretRef === null) return ok(serverUrl);
    const secret = openSecret(secretRef);
    return secret.ok ? ok(joinServerUrl({ shown: serverUrl, secret: secret.value })) : secret;
  }

  function remove({ secretRef }: DeviceProfile): readonly KvWrite[] {
    return secretRef === null ? [] : [{ op: 'delete', space: SPACE, key: secretRef }];
  }

  /** A secret that is not given again stays; so does one that is given again unchanged. */
  function isKept(old: DeviceProfile, address: ServerAddress): boolean {
    if (address.secret === null) return true;
    if (old.secretRef === null) return false;
    const known = openSecret(old.secretRef);
    return known.ok && known.value === address.secret && isSameServer(old.serverUrl, address.shown);
  }

  return {
    check(fleet, command) {
      const given = addressIn(command);
      // To add what exists, or to edit what does not, is refused for that: the fleet's own rules say so.
      if (given === undefined || fleet.devices.has(given.deviceId) !== (command.type === 'device-edit'))
        return ok(null);
      const address = splitServerUrl(given.serverUrl);
      if (!address.ok) return address;
      const allowed = checkServerUrl(address.value.shown, policyFor(given.deviceId));
      if (!allowed.ok) return allowed;
      const old = fleet.devices.get(given.deviceId)?.profile;
      if (old === undefined || old.secretRef === null || address.value.secret !== null) return ok(null);
      if (isSameServer(old.serverUrl, address.value.shown)) return ok(null);
      return err(
        'The token of this device belongs to its old address and is not sent to another one; enter the new server_url with its token',
      );
    },
    seal({ fleet, deviceId, serverUrl, put }) {
      const address = splitServerUrl(serverUrl);
      if (!address.ok) throw new Error(address.error);
      const { shown, secret } = address.value;
      const old = fleet.devices.get(deviceId)?.profile;
      if (old !== undefined && isKept(old, address.value)) return { serverUrl: shown, secretRef: old.secretRef };
      if (secret === null) return { serverUrl: shown, secretRef: null };
      for (const write of old === undefined ? [] : remove(old)) put(write);
      const secretRef = `${deviceId}.${random.hex(8)}`;
      put({ op: 'put', space: SPACE, key: secretRef, value: box.seal(secretRef, secret), expiresAtMs: null });
      return { serverUrl: shown, secretRef };
    },
    open,
    remove,
  };
}

function addressIn(command: FleetCommand): { deviceId: DeviceId; serverUrl: string } | undefined {
  if (command.type === 'device-add') return command.device;
  if (command.type !== 'device-edit' || command.patch.serverUrl === undefined) return undefined;
  return { deviceId: command.deviceId, serverUrl: command.patch.serverUrl };
}
