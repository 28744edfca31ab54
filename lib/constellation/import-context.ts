/** Time and chance for an import. */
export type ImportContext = {
  readonly nowMs: number;
  /** Random, 8 hexadecimal digits or more: for ids that the file leaves out. */
  readonly newHex: () => string;
};
