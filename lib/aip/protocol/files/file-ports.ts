/** A checksum that grows. Both end with {@link digestHex}; nothing may be added afterwards. */
export type Hasher = {
  update(bytes: Uint8Array): void;
  /** In lower-case hexadecimal. */
  digestHex(): string;
};

export type CreateHasher = (algorithm: 'md5' | 'sha256') => Hasher;

/** A file to send. It must not change while it is being sent: the checksum of the whole would tell, and fail it. */
export type FileSource = {
  /** A base name; the receiver makes it safe for itself. */
  readonly filename: string;
  readonly sizeBytes: number;
  readonly mimeType?: string | undefined;
  /** Exactly these bytes; fewer are a fault. @throws what the system says */
  read(offset: number, lengthBytes: number): Promise<Uint8Array>;
};

export type IncomingFile = {
  /** What an interrupted transfer is found by again: safe as a file name, the same for the same transfer only. */
  readonly key: string;
  /** Safe as a base name on every system; a store may still have to choose another one. */
  readonly filename: string;
  readonly sizeBytes: number;
};

/** Where files go. A file is visible under its name only when it is whole. */
export type FileStore = {
  /**
   * Begins a file, or goes on with what {@link PartialFile.keep} left of it. Whoever holds the same one at this moment
   * loses it: its calls reject from now on.
   *
   * @throws what the system says
   */
  open(file: IncomingFile): Promise<PartialFile>;
};

export type PartialFile = {
  /** How much is there of an earlier try. */
  readonly keptBytes: number;
  /** Bytes of what is there. */
  read(offset: number, lengthBytes: number): Promise<Uint8Array>;
  /** Cuts to a length that is not beyond what is there. */
  truncate(sizeBytes: number): Promise<void>;
  /** Adds at the end. */
  append(bytes: Uint8Array): Promise<void>;
  /** Makes the file visible and durable. @returns where it is, as the store names places */
  commit(): Promise<string>;
  /** Lets go of it for now; the store decides how long it stays. */
  keep(): Promise<void>;
  /** Nothing of it is left. May be called after any failure, also twice. */
  discard(): Promise<void>;
};
