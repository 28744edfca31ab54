import { expect, test } from 'vitest';
import { nextAfterSignIn, signInAddress } from './sign-in-address';

test('after signing in a person returns to the page they came from', () => {
  const address = new URL(signInAddress('/devices/pc-1?tab=profile'), 'http://orrery.test');
  expect(nextAfterSignIn(address.search)).toBe('/devices/pc-1?tab=profile');
});

test.each(['//evil.test', '/\\evil.test', 'https://evil.test', 'javascript:alert(1)', '', '/sign-in'])(
  'a link cannot send people to %j after signing in',
  (next) => {
    expect(nextAfterSignIn(`?next=${encodeURIComponent(next)}`)).toBe('/');
  },
);
