import Link from 'next/link';
import type { ReactNode } from 'react';
import { text } from '@/components/text/catalogue';
import { MainNavigation } from './main-navigation';

/** One line of 48 px, whatever happens. */
export function Header({ children }: { readonly children?: ReactNode }) {
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line bg-card px-3 sm:gap-4 sm:px-4">
      <Link href="/" className="flex items-center gap-2 rounded font-semibold" aria-label={text.shell.product}>
        <Mark />
        <span className="hidden sm:inline">{text.shell.product}</span>
      </Link>
      <MainNavigation />
      <div className="ml-auto flex min-w-0 items-center gap-1 sm:gap-2">{children}</div>
    </header>
  );
}

function Mark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 20 20" width="20" height="20" fill="none" className="shrink-0 text-blue-solid">
      <ellipse cx="10" cy="10" rx="8.5" ry="4" stroke="currentColor" strokeWidth="1.5" transform="rotate(-28 10 10)" />
      <circle cx="10" cy="10" r="2.6" fill="currentColor" />
      <circle cx="17" cy="6.2" r="1.8" fill="currentColor" />
    </svg>
  );
}
