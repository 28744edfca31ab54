/** Randomness as a port. `hex(16)` gives 16 bytes as 32 hexadecimal digits; `fraction` is in [0, 1). */
export type Random = {
  uuid(): string;
  hex(bytes: number): string;
  fraction(): number;
};
