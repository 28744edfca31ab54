import type { ClientMessage, ClientType, ServerMessage } from '@/lib/aip/messages';
import type { AipProtocol } from '@/lib/aip/protocol/aip-protocol';
import type { JsonObject } from '@/lib/std/json';

export type ServerProtocol = AipProtocol<ServerMessage, ClientMessage>;

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
  systemInfo: JsonObject | undefined;
};

/** Who is connected; an id is one client's, whatever its role. */
export type Registry = {
  /** Says whether the id was free. */
  add(peer: Peer): boolean;
  /** Frees the id if it is still this peer's. */
  remove(peer: Peer): void;
  get(id: string): Peer | undefined;
  device(id: string | undefined): Peer | undefined;
  ids(): readonly string[];
};

export function createRegistry(): Registry {
  const peers = new Map<string, Peer>();
  return {
    add(peer) {
      if (peers.has(peer.id)) return false;
      peers.set(peer.id, peer);
      return true;
    },
    remove(peer) {
      if (peers.get(peer.id) === peer) peers.delete(peer.id);
    },
    get: (id) => peers.get(id),
    device(id) {
      const peer = id === undefined ? undefined : peers.get(id);
      return peer?.role === 'device' ? peer : undefined;
    },
    ids: () => [...peers.keys()],
  };
}
