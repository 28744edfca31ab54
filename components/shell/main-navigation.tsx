'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { text } from '@/components/text/catalogue';
import { classNames } from '@/components/ui/class-names';

export function MainNavigation() {
  const path = usePathname();
  const isDevices = path.startsWith('/devices');
  const entries = [
    { href: '/', word: text.shell.nav.runs, isCurrent: !isDevices },
    { href: '/devices', word: text.shell.nav.devices, isCurrent: isDevices },
  ];
  return (
    <nav aria-label={text.shell.nav.label} className="flex h-full items-stretch gap-1">
      {entries.map(({ href, word, isCurrent }) => (
        <Link
          key={href}
          href={href}
          aria-current={isCurrent ? 'page' : undefined}
          className={classNames(
            'flex items-center border-b-2 px-2 text-sm font-medium sm:px-3',
            isCurrent ? 'border-blue-solid text-ink' : 'border-transparent text-muted hover:text-ink',
          )}
        >
          {word}
        </Link>
      ))}
    </nav>
  );
}
