'use client';

import { useEffect, useState } from 'react';
import { Button } from './button';

type CopyButtonProps = {
  readonly value: string;
  readonly label: string;
  readonly doneLabel: string;
  readonly failedLabel: string;
};

const SHOWN_MS = 1_500;

/** Copies a text and says so in its own word. The clipboard needs a secure page; elsewhere the old way is taken. */
export function CopyButton({ value, label, doneLabel, failedLabel }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'none' | 'done' | 'failed'>('none');
  useEffect(() => {
    if (outcome === 'none') return undefined;
    const timer = setTimeout(() => setOutcome('none'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const words = { none: label, done: doneLabel, failed: failedLabel };
  return (
    <Button
      look="quiet"
      isSmall
      icon={outcome === 'done' ? 'check' : 'copy'}
      onClick={async () => setOutcome((await copyText(value)) ? 'done' : 'failed')}
    >
      <span aria-live="polite">{words[outcome]}</span>
    </Button>
  );
}

async function copyText(value: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(value).then(
      () => true,
      () => copyBySelection(value),
    );
  }
  return copyBySelection(value);
}

function copyBySelection(value: string): boolean {
  const area = document.createElement('textarea');
  area.value = value;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
