'use client';

import Link from 'next/link';
import { useClockText } from '@/components/providers/constellation-provider';
import { DeviceReachDot } from '@/components/status/device-reach-dot';
import { text } from '@/components/text/catalogue';
import { formatAge, formatFullMoment } from '@/components/text/format-time';
import { classNames } from '@/components/ui/class-names';
import { Icon } from '@/components/ui/icon';
import { ProgressArc } from '@/components/ui/progress-arc';
import { TONE_SOLID, type Tone } from '@/components/ui/tone';
import type { Device } from '@/lib/fleet/device';
import { type ConnectionWord, connectionFact, infoFact, workFact } from '@/lib/store/selectors/fleet-view';

const TONE: Record<ConnectionWord, Tone> = { online: 'green', connecting: 'amber', offline: 'neutral', failed: 'red' };
const REACH = { online: 'online', connecting: 'reconnecting', offline: 'offline', failed: 'offline' } as const;

/** A moment as its age, which ticks; the moment itself stands in the title. */
export function Age({ atMs, words }: { readonly atMs: number; readonly words: (age: string) => string }) {
  const age = useClockText((nowMs) => words(formatAge(nowMs - atMs)));
  return <time title={formatFullMoment(atMs)}>{age}</time>;
}

type ConnectionFactProps = {
  readonly device: Device;
  /** How much of the reason is shown: a row of a list has room for two lines. */
  readonly reasonIn?: 'two-lines' | 'whole';
};

export function ConnectionFactCell({ device, reasonIn = 'two-lines' }: ConnectionFactProps) {
  const { word, sinceMs, reason } = connectionFact(device);
  return (
    <span className="flex min-w-0 flex-col gap-0.5" title={reason ?? undefined}>
      <span className="flex items-center gap-2 whitespace-nowrap">
        <span className={classNames('inline-flex', TONE_SOLID[TONE[word]])}>
          <DeviceReachDot reach={REACH[word]} />
        </span>
        <span className={classNames('font-medium', word === 'failed' && 'text-red-text')}>
          {text.fleet.facts.connection[word]}
        </span>
        <span className="text-xs text-muted">
          <Age atMs={sinceMs} words={word === 'online' ? text.fleet.facts.since : text.fleet.facts.away} />
        </span>
      </span>
      {reason !== null && (
        <span
          className={classNames(
            'max-w-[80ch] min-w-48 text-xs break-words text-muted',
            reasonIn === 'two-lines' && 'line-clamp-2',
          )}
        >
          {reason}
        </span>
      )}
    </span>
  );
}

export function WorkFactCell({ device }: { readonly device: Device }) {
  const work = workFact(device);
  if (work.word === 'none') return <span className="text-muted">{text.fleet.facts.noWork}</span>;
  if (work.word === 'idle') return <span>{text.fleet.facts.idle}</span>;
  return (
    <Link
      href={`/runs/${work.runId}?task=${encodeURIComponent(work.taskId)}`}
      className="inline-flex max-w-48 min-w-0 items-center xl:max-w-64 gap-1.5 text-blue-text underline"
    >
      <ProgressArc className="text-blue-solid" />
      <span className="min-w-0 truncate" title={work.taskId}>
        {text.fleet.facts.busyWith(work.taskId)}
      </span>
    </Link>
  );
}

/** The old age stays while a refresh is under way, dimmed, with the question beside it. */
export function InfoFactCell({ device }: { readonly device: Device }) {
  const info = infoFact(device);
  const { refresh } = device;
  const words = text.fleet.facts;
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <span className={classNames(refresh.phase === 'asked' && 'opacity-60')}>
        {info.phase === 'never' ? words.never : <Age atMs={info.collectedAtMs} words={words.age} />}
        {info.phase === 'known' && info.origin === 'registration' && (
          <span className="text-xs text-muted"> {words.atRegistration}</span>
        )}
      </span>
      {refresh.phase === 'asked' && (
        <span className="inline-flex items-center gap-1 text-xs text-blue-text">
          <ProgressArc className="text-blue-solid" />
          <Age atMs={refresh.askedAtMs} words={words.askedAgo} />
        </span>
      )}
      {refresh.phase === 'waiting-for-return' && (
        <span className="inline-flex items-center gap-1 text-xs text-amber-text">
          <Icon name="clock" className="text-amber-solid" />
          {words.asksOnReturn}
        </span>
      )}
      {refresh.phase === 'failed' && (
        <span className="inline-flex items-center gap-1 text-xs text-red-text" title={refresh.reason}>
          <Icon name="warning" className="text-red-solid" />
          {words.refreshFailed}
        </span>
      )}
    </span>
  );
}
