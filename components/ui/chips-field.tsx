'use client';

import { useState } from 'react';
import { Field } from './field';
import { Icon } from './icon';

type ChipsFieldProps = {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly values: readonly string[];
  readonly suggestions: readonly string[];
  readonly suggestionsLabel: string;
  readonly addLabel: (value: string) => string;
  readonly removeLabel: (value: string) => string;
  readonly onChange: (values: readonly string[]) => void;
};

/** A list of short words. Enter or a comma ends a word; leaving the field does too, so nothing typed is lost. */
export function ChipsField(props: ChipsFieldProps) {
  const { label, hint, error, values, suggestions, suggestionsLabel, addLabel, removeLabel, onChange } = props;
  const [draft, setDraft] = useState('');

  function add(text: string): void {
    const words = text.split(',').map((word) => word.trim());
    const fresh = words.filter((word) => word !== '' && !values.includes(word));
    if (fresh.length > 0) onChange([...values, ...new Set(fresh)]);
    setDraft('');
  }

  const offered = suggestions.filter((suggestion) => !values.includes(suggestion));
  return (
    <div className="flex flex-col gap-1.5">
      <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
        {(parts) => (
          <div className="flex flex-wrap items-center gap-1.5 rounded-md border border-control bg-card p-1">
            {values.map((value) => (
              <span
                key={value}
                className="inline-flex h-6 items-center gap-0.5 rounded bg-neutral-tint pl-2 text-xs text-neutral-text"
              >
                {value}
                <button
                  type="button"
                  aria-label={removeLabel(value)}
                  title={removeLabel(value)}
                  onClick={() => onChange(values.filter((other) => other !== value))}
                  className="grid size-6 place-items-center rounded hover:bg-hover"
                >
                  <Icon name="cross" />
                </button>
              </span>
            ))}
            <input
              {...parts}
              value={draft}
              onChange={(event) =>
                event.target.value.includes(',') ? add(event.target.value) : setDraft(event.target.value)
              }
              onBlur={() => add(draft)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && draft.trim() !== '') {
                  event.preventDefault();
                  add(draft);
                }
                if (event.key === 'Backspace' && draft === '' && values.length > 0) onChange(values.slice(0, -1));
              }}
              className="h-6 min-w-24 flex-1 bg-transparent px-1.5 text-sm"
            />
          </div>
        )}
      </Field>
      {offered.length > 0 && (
        <div className="flex flex-wrap items-center gap-1 text-xs text-muted">
          {suggestionsLabel}
          {offered.map((suggestion) => (
            <button
              key={suggestion}
              type="button"
              aria-label={addLabel(suggestion)}
              onClick={() => onChange([...values, suggestion])}
              className="inline-flex h-6 items-center gap-0.5 rounded border border-line px-1.5 hover:bg-hover"
            >
              <Icon name="plus" />
              {suggestion}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
