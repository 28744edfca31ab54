'use client';

import { text } from '@/components/text/catalogue';
import { runText } from '@/components/text/run-text';
import { CopyButton } from '@/components/ui/copy-button';
import type { TaskResult } from '@/lib/run/run';
import { toReadableText } from './read-result';
import { ResultParts, Value } from './result-parts';
import { Section } from './section';

/** What the task returned: by parts for reading, and whole for taking away. */
export function TaskResultView({ result }: { readonly result: TaskResult }) {
  if (result.kind === 'none') return null;
  const { copy, copied, copyFailed } = text.shell.common;
  const actions =
    result.kind === 'inline' ? (
      <CopyButton value={toReadableText(result.value)} label={copy} doneLabel={copied} failedLabel={copyFailed} />
    ) : null;
  return (
    <Section title={runText.task.result} actions={actions}>
      <ResultParts result={result} />
      {result.kind === 'inline' && typeof result.value === 'object' && result.value !== null ? (
        <details className="text-xs">
          <summary className="text-muted">{runText.task.output}</summary>
          <Value value={result.value} />
        </details>
      ) : null}
    </Section>
  );
}
