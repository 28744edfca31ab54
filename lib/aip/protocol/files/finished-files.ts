/** What became of a file that is whole: its sender may not have heard of it before its connection was cut. */
export type FinishedFile = { readonly md5: string; readonly sha256: string; readonly place: string };

export type FinishedFiles = {
  has(key: string): boolean;
  get(key: string): FinishedFile | undefined;
  add(key: string, file: FinishedFile): void;
};

const FINISHED_MAX = 256;

/** The last files that have come, over all connections. */
export function createFinishedFiles(): FinishedFiles {
  const files = new Map<string, FinishedFile>();
  return {
    has: (key) => files.has(key),
    get: (key) => files.get(key),
    add(key, file) {
      files.set(key, file);
      for (const oldest of files.keys()) {
        if (files.size <= FINISHED_MAX) break;
        files.delete(oldest);
      }
    },
  };
}
