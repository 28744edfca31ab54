/** Where to sign in, and where to return to afterwards. */
export function signInAddress(from: string): string {
  return from === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(from)}`;
}

/** Only a path of this site: whoever makes a link must not be able to send people elsewhere after signing in. */
export function nextAfterSignIn(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/';
  const isOwnPath = /^\/(?![/\\])/.test(next) && !next.includes('\\') && !next.startsWith('/sign-in');
  return isOwnPath ? next : '/';
}
