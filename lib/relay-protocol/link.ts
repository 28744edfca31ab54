/**
 * How this page's connection to the relay stands. Times are Unix milliseconds of this browser.
 *
 * `freshAtMs` is until when the copy on the screen was known to be true; null if it never was.
 */
export type Link =
  | { readonly phase: 'connecting'; readonly freshAtMs: number | null }
  | { readonly phase: 'open' }
  | { readonly phase: 'waiting'; readonly retryAtMs: number; readonly freshAtMs: number | null }
  /** The relay asked us not to come back by ourselves. */
  | { readonly phase: 'stopped'; readonly reason: string; readonly freshAtMs: number | null }
  | { readonly phase: 'signed-out' };
