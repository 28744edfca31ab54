import type { CreateHasher, FileSource, FileStore, PartialFile } from '@/lib/aip/protocol/files/file-ports';

/** Tells any two files of a test apart; no checksum of the world, as this library has none of its own. */
export const createToyHasher: CreateHasher = (algorithm) => {
  let sum = algorithm === 'md5' ? 0x811c9dc5 : 0x01000193;
  return {
    update(bytes) {
      for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
    },
    digestHex: () => sum.toString(16).padStart(8, '0'),
  };
};

/** A file whose byte number i is i modulo 256. */
export function countingBytes(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => index % 256);
}

export function sourceOf(filename: string, bytes: Uint8Array, mimeType?: string): FileSource {
  return {
    filename,
    sizeBytes: bytes.length,
    mimeType,
    read: async (offset, lengthBytes) => bytes.slice(offset, offset + lengthBytes),
  };
}

/** A store that forgets nothing: what is visible, and what is kept of interrupted transfers. */
export function aMemoryStore() {
  const files = new Map<string, Uint8Array>();
  const kept = new Map<string, Uint8Array>();
  const holders = new Map<string, object>();
  let opened = 0;

  const store: FileStore = {
    async open({ key, filename }) {
      opened += 1;
      let bytes = kept.get(key) ?? new Uint8Array();
      kept.delete(key);
      const holder = {};
      holders.set(key, holder);
      const mine = () => {
        if (holders.get(key) !== holder) throw new Error('Somebody else goes on with this file');
      };
      const partial: PartialFile = {
        keptBytes: bytes.length,
        read: async (offset, lengthBytes) => bytes.slice(offset, offset + lengthBytes),
        async truncate(sizeBytes) {
          mine();
          bytes = bytes.slice(0, sizeBytes);
        },
        async append(more) {
          mine();
          const next = new Uint8Array(bytes.length + more.length);
          next.set(bytes);
          next.set(more, bytes.length);
          bytes = next;
          kept.set(key, bytes);
        },
        async commit() {
          mine();
          let name = filename;
          for (let count = 1; files.has(name); count += 1) name = `${filename} (${count})`;
          files.set(name, bytes);
          kept.delete(key);
          holders.delete(key);
          return name;
        },
        async keep() {
          if (holders.get(key) !== holder) return;
          holders.delete(key);
          kept.set(key, bytes);
        },
        async discard() {
          if (holders.get(key) !== holder) return;
          holders.delete(key);
          kept.delete(key);
        },
      };
      return partial;
    },
  };
  return {
    store,
    files,
    kept,
    get opened() {
      return opened;
    },
  };
}
