/** How this page's connection to the relay stands. Times are Unix milliseconds of this browser. */
export type Link =
  | { readonly phase: 'connecting'; readonly heardAtMs: number | null }
  | { readonly phase: 'open' }
  | { readonly phase: 'waiting'; readonly retryAtMs: number; readonly heardAtMs: number | null }
  /** The relay asked us not to come back by ourselves. */
  | { readonly phase: 'stopped'; readonly reason: string; readonly heardAtMs: number | null }
  | { readonly phase: 'signed-out' };
