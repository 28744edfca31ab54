'use client';

import { useState } from 'react';
import { Complaint } from '@/components/command/complaint';
import { useCommand } from '@/components/command/use-command';
import { Value } from '@/components/run/result-parts';
import { text } from '@/components/text/catalogue';
import { Badge } from '@/components/ui/badge';
import { classNames } from '@/components/ui/class-names';
import { Facts } from '@/components/ui/facts';
import { Panel } from '@/components/ui/panel';
import type { Device } from '@/lib/fleet/device';
import { PROFILE_SOURCES, type ProfileSource, profileFacts } from '@/lib/fleet/merge-profile';
import type { JsonValue } from '@/lib/std/json';
import { changedFacts, factKey, infoFact } from '@/lib/store/selectors/fleet-view';
import { Age } from './device-facts';
import { RefreshButton } from './refresh-button';
import { RefreshStatus } from './refresh-status';

/** What is known of a device, each fact beside who says it, so that a contradiction is seen and not hidden. */
export function ProfilePanel({ device }: { readonly device: Device }) {
  const words = text.fleet.profile;
  const command = useCommand();
  const { changed, isAnswered } = useChangedFacts(device);
  const facts = profileFacts(device);
  const isAsked = device.refresh.phase === 'asked';
  return (
    <Panel title={words.title} actions={<RefreshButton device={device} command={command} />}>
      <div className="flex flex-col gap-4">
        <Complaint command={command} />
        <InfoAges device={device} />
        {isAnswered ? <RefreshStatus device={device} changedCount={changed.size} /> : <RefreshStatus device={device} />}
        <div className="grid gap-4 lg:grid-cols-3">
          {PROFILE_SOURCES.map((source) => (
            <SourceColumn key={source} source={source} isDimmed={isAsked && source !== 'operator'}>
              {facts
                .filter((fact) => fact.source === source)
                .map((fact) => ({
                  name: fact.name,
                  value: (
                    <span
                      // Another key plays the flash again when the same fact changes again.
                      key={changed.has(factKey(fact)) ? device.info?.collectedAtMs : undefined}
                      className={classNames(
                        'inline-block max-w-full rounded',
                        changed.has(factKey(fact)) && 'animate-changed',
                      )}
                      data-changed={changed.has(factKey(fact)) ? '' : undefined}
                    >
                      <FactValue value={fact.value} />
                    </span>
                  ),
                }))}
            </SourceColumn>
          ))}
        </div>
      </div>
    </Panel>
  );
}

type SourceColumnProps = {
  readonly source: ProfileSource;
  readonly isDimmed: boolean;
  readonly children: readonly { readonly name: string; readonly value: React.ReactNode }[];
};

function SourceColumn({ source, isDimmed, children }: SourceColumnProps) {
  const { title, about } = text.fleet.profile.source[source];
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2 rounded-md border border-line p-3">
      <div>
        <h3 className="text-sm font-semibold">{title}</h3>
        <p className="text-xs text-muted">{about}</p>
      </div>
      <div className={classNames(isDimmed && 'opacity-60')}>
        {children.length === 0 ? (
          <p className="text-sm text-muted">{text.fleet.profile.nothing}</p>
        ) : (
          <Facts facts={children} />
        )}
      </div>
    </section>
  );
}

function FactValue({ value }: { readonly value: JsonValue }) {
  if (value === null) return <span className="text-muted">{text.shell.common.none}</span>;
  if (typeof value !== 'object') return <span className="break-words">{String(value)}</span>;
  const isWords = isList(value) && value.every((item): item is string => typeof item === 'string');
  if (isWords && value.length === 0) return <span className="text-muted">{text.shell.common.none}</span>;
  if (isWords) {
    return (
      <span className="flex flex-wrap gap-1">
        {value.map((word) => (
          <Badge key={word}>{word}</Badge>
        ))}
      </span>
    );
  }
  const line = JSON.stringify(value);
  if (line.length <= SHORT_LINE) return <code className="font-mono text-xs">{line.replaceAll(',', ', ')}</code>;
  return (
    <details>
      <summary className="cursor-pointer">{isList(value) ? namesOf(value) : Object.keys(value).join(', ')}</summary>
      <Value value={value} />
    </details>
  );
}

/** What fits beside a name. */
const SHORT_LINE = 60;

/** Tools of a device by their names; what has none by its number. */
function namesOf(items: readonly JsonValue[]): string {
  return items
    .map((item, index) => {
      const name = typeof item === 'object' && item !== null && !isList(item) ? (item.tool_name ?? item.name) : item;
      return typeof name === 'string' ? name : `#${index + 1}`;
    })
    .join(', ');
}

/** `Array.isArray` alone does not narrow read-only lists. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Two moments that are never mixed: when the relay asked, and when the device said it. */
function InfoAges({ device }: { readonly device: Device }) {
  const words = text.fleet.profile;
  const info = infoFact(device);
  if (info.phase === 'never') {
    return <Facts facts={[{ name: words.collected, value: text.shell.common.never }]} />;
  }
  const isCached = info.origin === 'registration';
  return (
    <Facts
      facts={[
        { name: words.asked, value: <Age atMs={info.askedAtMs} words={text.shell.common.ago} /> },
        {
          name: words.collected,
          value: (
            <>
              <Age atMs={info.collectedAtMs} words={isCached ? words.registrationOnly : text.shell.common.ago} />
              {isCached && <p className="text-xs text-muted">{words.registrationWhy}</p>}
            </>
          ),
        },
      ]}
    />
  );
}

type SeenTelling = {
  readonly device: Device;
  readonly changed: ReadonlySet<string>;
  /** A new telling came while the page was open. */
  readonly isAnswered: boolean;
};

/** Compares each new telling with the one that was on the screen before it. */
function useChangedFacts(device: Device): SeenTelling {
  const [seen, setSeen] = useState<SeenTelling>({ device, changed: new Set(), isAnswered: false });
  if (seen.device === device) return seen;
  const isNewTelling = seen.device.info !== device.info;
  const next = {
    device,
    changed: isNewTelling ? changedFacts(seen.device, device) : seen.changed,
    isAnswered: isNewTelling || (seen.isAnswered && device.refresh.phase === 'none'),
  };
  setSeen(next);
  return next;
}
