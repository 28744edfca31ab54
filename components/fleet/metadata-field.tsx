'use client';

import { useId, useState } from 'react';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { TextArea } from '@/components/ui/field';
import { Icon } from '@/components/ui/icon';
import { type MetadataForm, type MetadataPair, metadataForm, readMetadata } from './device-form';

type MetadataFieldProps = {
  readonly form: MetadataForm;
  readonly error?: string | undefined;
  readonly onChange: (form: MetadataForm) => void;
};

const INPUT = 'h-8 min-w-0 flex-1 rounded-md border border-control bg-card px-2.5 text-sm';

/** Pairs for most, JSON for the rest; switching keeps what was typed, and is refused while it would lose something. */
export function MetadataField({ form, error, onChange }: MetadataFieldProps) {
  const words = text.fleet.form;
  const [switchError, setSwitchError] = useState<string>();
  const legendId = useId();

  function switchTo(as: MetadataForm['as']): void {
    if (as === form.as) return;
    const metadata = readMetadata(form);
    setSwitchError(metadata.ok ? undefined : metadata.error);
    if (!metadata.ok) return;
    if (as === 'json') onChange({ as: 'json', text: JSON.stringify(metadata.value, null, 2) });
    else onChange(metadataForm(metadata.value));
  }

  const shownError = error ?? switchError;
  return (
    <fieldset aria-labelledby={legendId} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-center justify-between">
        <span id={legendId} className="text-sm font-medium">
          {words.metadata}
        </span>
        <div role="radiogroup" aria-label={words.metadataForm} className="flex rounded-md border border-line p-0.5">
          {(['pairs', 'json'] as const).map((as) => (
            <label
              key={as}
              className="cursor-pointer rounded px-2 text-xs leading-5 text-muted has-checked:bg-hover has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-focus"
            >
              <input type="radio" checked={form.as === as} onChange={() => switchTo(as)} className="sr-only" />
              {as === 'pairs' ? words.asPairs : words.asJson}
            </label>
          ))}
        </div>
      </div>
      {form.as === 'pairs' ? (
        <Pairs pairs={form.pairs} onChange={(pairs) => onChange({ as: 'pairs', pairs })} />
      ) : (
        <TextArea
          label={words.asJson}
          rows={5}
          spellCheck={false}
          value={form.text}
          onChange={(event) => onChange({ as: 'json', text: event.target.value })}
          className="font-mono"
        />
      )}
      {shownError !== undefined && (
        <p role="alert" className="flex items-start gap-1 text-xs text-red-text">
          <Icon name="warning" className="text-red-solid" />
          {shownError}
        </p>
      )}
      <p className="text-xs text-muted">{words.metadataHint}</p>
    </fieldset>
  );
}

type PairsProps = {
  readonly pairs: readonly MetadataPair[];
  readonly onChange: (pairs: readonly MetadataPair[]) => void;
};

function Pairs({ pairs, onChange }: PairsProps) {
  const words = text.fleet.form;
  const set = (id: number, patch: Partial<MetadataPair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...patch } : pair)));
  const nextId = Math.max(-1, ...pairs.map((pair) => pair.id)) + 1;
  return (
    <div className="flex flex-col gap-1.5">
      {pairs.map(({ id, key, value }) => (
        <div key={id} className="flex gap-1.5">
          <input
            aria-label={words.key}
            placeholder={words.key}
            value={key}
            onChange={(event) => set(id, { key: event.target.value })}
            className={INPUT}
          />
          <input
            aria-label={words.value}
            placeholder={words.value}
            value={value}
            onChange={(event) => set(id, { value: event.target.value })}
            className={INPUT}
          />
          <Button
            look="quiet"
            icon="cross"
            isIconOnly
            aria-label={words.removePair(key)}
            title={words.removePair(key)}
            onClick={() => onChange(pairs.filter((pair) => pair.id !== id))}
          />
        </div>
      ))}
      <div>
        <Button
          isSmall
          isRepeatable
          icon="plus"
          onClick={() => onChange([...pairs, { id: nextId, key: '', value: '' }])}
        >
          {words.addPair}
        </Button>
      </div>
    </div>
  );
}
