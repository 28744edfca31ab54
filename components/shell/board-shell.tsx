'use client';

import { usePathname, useRouter } from 'next/navigation';
import { type ReactNode, useEffect } from 'react';
import { ConstellationProvider, useLink } from '@/components/providers/constellation-provider';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { ConnectionPill } from './connection-pill';
import { Header } from './header';
import { SessionMenu } from './session-menu';
import { signInAddress } from './sign-in-address';
import { ThemeSwitch } from './theme-switch';

const CONTENT_ID = 'content';

/** The frame of every page behind the sign-in: header, and the page below it with all the height that is left. */
export function BoardShell({ children }: { readonly children: ReactNode }) {
  return (
    <ConstellationProvider fallback={<Frame header={<Header />} />}>
      <Frame
        header={
          <Header>
            <ConnectionPill />
            <ThemeSwitch />
            <SessionMenu />
          </Header>
        }
      >
        <StoppedNotice />
        {children}
      </Frame>
      <SignedOutWatch />
    </ConstellationProvider>
  );
}

function Frame({ header, children }: { readonly header: ReactNode; readonly children?: ReactNode }) {
  return (
    <div className="flex h-dvh flex-col">
      <a
        href={`#${CONTENT_ID}`}
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-10 focus:rounded focus:bg-card focus:px-3 focus:py-2"
      >
        {text.shell.skipToContent}
      </a>
      {header}
      <main id={CONTENT_ID} tabIndex={-1} className="flex min-h-0 flex-1 flex-col overflow-auto outline-none">
        {children}
      </main>
    </div>
  );
}

function SignedOutWatch() {
  const link = useLink();
  const router = useRouter();
  const path = usePathname();
  const isSignedOut = link.phase === 'signed-out';
  useEffect(() => {
    if (isSignedOut) router.replace(signInAddress(`${path}${window.location.search}`));
  }, [isSignedOut, path, router]);
  return null;
}

function StoppedNotice() {
  const link = useLink();
  if (link.phase !== 'stopped') return null;
  const words = text.shell.connection;
  return (
    <Notice
      tone="red"
      className="m-3"
      actions={
        <Button isSmall icon="refresh" onClick={() => window.location.reload()}>
          {words.reload}
        </Button>
      }
    >
      {words.stoppedBecause(link.reason)}
    </Notice>
  );
}
