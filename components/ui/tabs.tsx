'use client';

import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { classNames } from './class-names';

export type Tab = { readonly id: string; readonly label: string; readonly content: ReactNode };

type TabsProps = {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selectedId: string;
  readonly onSelect: (id: string) => void;
};

/** Arrow keys move between tabs, as the pattern for tabs says; only the chosen one is in the tab order. */
export function Tabs({ label, tabs, selectedId, onSelect }: TabsProps) {
  const base = useId();
  const selected = tabs.find((tab) => tab.id === selectedId) ?? tabs[0];

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const index = tabs.findIndex((tab) => tab.id === selected?.id);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next.id);
    document.getElementById(`${base}-${next.id}`)?.focus();
  }

  return (
    <div>
      <div role="tablist" aria-label={label} onKeyDown={onKeyDown} className="flex gap-1 border-b border-line">
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${base}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === selected?.id}
            aria-controls={`${base}-panel`}
            tabIndex={tab.id === selected?.id ? 0 : -1}
            onClick={() => onSelect(tab.id)}
            className={classNames(
              '-mb-px h-9 border-b-2 px-3 text-sm font-medium',
              tab.id === selected?.id ? 'border-blue-solid text-ink' : 'border-transparent text-muted hover:text-ink',
            )}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${selected?.id}`} className="pt-3">
        {selected?.content}
      </div>
    </div>
  );
}
