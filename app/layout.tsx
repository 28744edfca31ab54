import './globals.css';
import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import type { ReactNode } from 'react';
import { parseTheme, THEME_COOKIE } from '@/components/shell/theme';
import { text } from '@/components/text/catalogue';

export const metadata: Metadata = {
  title: { default: text.shell.product, template: `%s - ${text.shell.product}` },
  description: text.shell.description,
  robots: { index: false, follow: false },
};

export const viewport: Viewport = { width: 'device-width', initialScale: 1, colorScheme: 'light dark' };

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Reading the request makes every page dynamic, so that Next.js puts this request's nonce on its scripts.
  await headers();
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme === 'auto' ? undefined : theme}>
      <body>{children}</body>
    </html>
  );
}
