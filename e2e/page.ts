import type { Page } from '@playwright/test';
import type { Stack } from './stack';

type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>;

/** A link works once, so further pages of a stack get the session that the first one made. */
const sessions = new WeakMap<Stack, Cookies>();

/** Signs in by the printed link, as a person does; later pages of the same stack come in by its cookie. */
export async function signIn(page: Page, stack: Stack): Promise<void> {
  const cookies = sessions.get(stack);
  if (cookies !== undefined) {
    await page.context().addCookies(cookies);
    await page.goto(stack.origin);
    return;
  }
  await page.goto(stack.signInUrl);
  await page.waitForURL((url) => url.pathname === '/' && url.hash === '');
  sessions.set(stack, await page.context().cookies());
}

export type PageWatch = {
  /** Warnings, errors and failed requests so far. */
  readonly complaints: readonly string[];
  readonly foreignRequests: readonly string[];
};

/** Notes down everything that a console or a network panel would show in red or yellow, from now on. */
export function watchPage(page: Page, origin: string): PageWatch {
  const complaints: string[] = [];
  const foreignRequests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (['http:', 'https:'].includes(url.protocol) && url.origin !== origin) foreignRequests.push(request.url());
  });
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).host !== new URL(origin).host) foreignRequests.push(socket.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  return { complaints, foreignRequests };
}
