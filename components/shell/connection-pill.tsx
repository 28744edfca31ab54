'use client';

import type { ConnectionKind } from '@/components/providers/connection-view';
import { useConnection } from '@/components/providers/constellation-provider';
import { text } from '@/components/text/catalogue';
import { classNames } from '@/components/ui/class-names';
import { ProgressArc } from '@/components/ui/progress-arc';
import { TONE_SOLID, TONE_TINTED, type Tone } from '@/components/ui/tone';

const TONE: Record<ConnectionKind, Tone> = {
  live: 'green',
  'catching-up': 'blue',
  connecting: 'blue',
  reconnecting: 'amber',
  offline: 'violet',
  stopped: 'red',
  'signed-out': 'neutral',
};

/** Disc when the line holds, ring while it is coming, slash when it is gone: readable without colour. */
export function ConnectionPill() {
  const { kind, label } = useConnection();
  return (
    <>
      {/* The text ticks once a second; a screen reader hears only that the kind has changed. */}
      <output
        aria-label={text.shell.connection.label}
        aria-live="off"
        data-connection={kind}
        className={classNames(
          'inline-flex min-h-6 min-w-16 items-center gap-1.5 rounded-xl pr-2.5 pl-1.5 text-xs leading-4 font-medium sm:whitespace-nowrap',
          TONE_TINTED[TONE[kind]],
        )}
      >
        <span className={classNames('inline-flex', TONE_SOLID[TONE[kind]])}>
          <KindShape kind={kind} />
        </span>
        {label}
      </output>
      <span aria-live="polite" className="sr-only">
        {text.shell.connection.kind[kind]}
      </span>
    </>
  );
}

function KindShape({ kind }: { readonly kind: ConnectionKind }) {
  if (kind === 'catching-up' || kind === 'connecting') return <ProgressArc />;
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      stroke="currentColor"
      strokeWidth="2"
      fill="none"
    >
      {kind === 'live' ? (
        <circle cx="8" cy="8" r="4" fill="currentColor" stroke="none" />
      ) : (
        <circle cx="8" cy="8" r="4" />
      )}
      {kind !== 'live' && kind !== 'reconnecting' && <path d="m3 13 10-10" strokeLinecap="round" />}
    </svg>
  );
}
