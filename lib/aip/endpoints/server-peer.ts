import type { ClientMessage, ClientType } from '@/lib/aip/messages';
import { announcedExtensions, registeredPlatform } from '@/lib/aip/protocol/registration';
import type { ServerProtocol } from '@/lib/aip/protocol/server-protocol';
import type { Extension } from './extensions';
import { type DeviceProfile, profileOf } from './server-profile';

/** A registered client: what it said when it registered, which is all that is ever believed of it. */
export type Peer = {
  readonly id: string;
  readonly role: ClientType;
  readonly platform: string;
  /** The device that a constellation registered for. */
  readonly targetId: string | undefined;
  readonly extensions: readonly string[];
  readonly protocol: ServerProtocol;
  /** What a device last said about itself; of a constellation nothing is kept. */
  profile: DeviceProfile;
  /** With one of these a lost device takes up its sessions; empty where `resume` is not agreed. */
  resumeTokens: readonly string[];
};

/** What makes sense with a client that gives tasks to devices; a device may agree to everything. */
const FOR_CONSTELLATIONS: readonly string[] = [
  'device_info',
  'log',
  'cancel',
  'deadline',
  'file',
] satisfies Extension[];

/** @param extensions - those that the server can agree to */
export function toPeer(
  register: ClientMessage,
  id: string,
  { protocol, extensions }: { readonly protocol: ServerProtocol; readonly extensions: readonly string[] },
): Peer {
  const isDevice = register.client_type === 'device';
  const announced = announcedExtensions(register);
  const isAgreed = (name: string) => announced.includes(name) && (isDevice || FOR_CONSTELLATIONS.includes(name));
  return {
    id,
    role: register.client_type,
    platform: registeredPlatform(register),
    targetId: isDevice || !register.target_id ? undefined : register.target_id,
    extensions: extensions.filter(isAgreed),
    protocol,
    profile: isDevice ? profileOf(register.metadata) : {},
    resumeTokens: [],
  };
}

export function hasAgreed(peer: Peer, extension: string): boolean {
  return peer.extensions.includes(extension);
}

export function isConnected(peer: Peer): boolean {
  return peer.protocol.transport.state === 'connected';
}

/** Who is connected; an id is one client's, whatever its role. */
export type Registry = {
  /** Says whether the id was free. */
  add(peer: Peer): boolean;
  /** Frees the id if it is still this peer's; says whether it was. */
  remove(peer: Peer): boolean;
  get(id: string): Peer | undefined;
  device(id: string | undefined): Peer | undefined;
  ids(): readonly string[];
  /** The constellations that registered for a device. */
  watchersOf(deviceId: string): readonly Peer[];
};

export function createRegistry(): Registry {
  const peers = new Map<string, Peer>();
  return {
    add(peer) {
      if (peers.has(peer.id)) return false;
      peers.set(peer.id, peer);
      return true;
    },
    remove: (peer) => peers.get(peer.id) === peer && peers.delete(peer.id),
    get: (id) => peers.get(id),
    device(id) {
      const peer = id === undefined ? undefined : peers.get(id);
      return peer?.role === 'device' ? peer : undefined;
    },
    ids: () => [...peers.keys()],
    watchersOf: (deviceId) => [...peers.values()].filter(({ targetId }) => targetId === deviceId),
  };
}
