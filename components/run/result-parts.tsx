'use client';

import { useState } from 'react';
import { formatBytes } from '@/components/text/format-bytes';
import { runText } from '@/components/text/run-text';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import type { Tone } from '@/components/ui/tone';
import type { TaskResult } from '@/lib/run/run';
import type { JsonValue } from '@/lib/std/json';
import { type ResultPart, readResult, toReadableText } from './read-result';

/** A result part by part: one per round, the evaluation on its own, anything else as it is. */
export function ResultParts({ result }: { readonly result: TaskResult }) {
  if (result.kind === 'none') return null;
  if (result.kind === 'blob') return <LargeResult handle={result.handle} sizeBytes={result.sizeBytes} />;
  const parts = readResult(result);
  if (parts.length === 0) return <p className="text-sm text-muted">{runText.task.emptyResult}</p>;
  return (
    <ol className="flex flex-col gap-2">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one result have no identity but their place
        <li key={index}>
          <Part part={part} />
        </li>
      ))}
    </ol>
  );
}

function LargeResult({ handle, sizeBytes }: { readonly handle: string; readonly sizeBytes: number }) {
  return (
    <p className="text-sm">
      {runText.task.largeResult(formatBytes(sizeBytes))}{' '}
      <a className="underline underline-offset-2" href={`/v1/blobs/${encodeURIComponent(handle)}`} download>
        {runText.task.download}
      </a>
    </p>
  );
}

function Part({ part }: { readonly part: ResultPart }) {
  if (part.kind === 'value') return <Value value={part.value} />;
  if (part.kind === 'evaluation') return <Evaluation part={part} />;
  return (
    <div className="flex flex-col gap-1 rounded-md border border-line p-2">
      <p className="text-xs font-medium text-muted">{runText.task.round(part.number)}</p>
      {part.request === null || part.request === '' ? null : (
        <details className="text-xs">
          <summary className="truncate text-muted">
            {runText.task.request}: {part.request}
          </summary>
          <Value value={part.request} />
        </details>
      )}
      <Value value={part.result} />
    </div>
  );
}

const VERDICT_TONE: { readonly [verdict: string]: Tone } = { yes: 'green', no: 'red', unsure: 'amber' };

function Evaluation({ part }: { readonly part: Extract<ResultPart, { kind: 'evaluation' }> }) {
  const words = runText.task;
  return (
    <section aria-label={words.evaluation} className="flex flex-col gap-1 rounded-md border border-line p-2 text-sm">
      <p className="flex items-center gap-2">
        <span className="text-xs font-medium text-muted">{words.evaluation}</span>
        {part.verdict === null ? null : (
          <Badge tone={VERDICT_TONE[part.verdict.toLowerCase()] ?? 'neutral'}>
            {words.complete}: {part.verdict}
          </Badge>
        )}
      </p>
      {part.reason === null ? null : <p className="break-words whitespace-pre-wrap">{part.reason}</p>}
      {part.scores.length === 0 ? null : (
        <ul aria-label={words.scores} className="flex flex-wrap gap-1">
          {part.scores.map((score) => (
            <li key={score.name}>
              <Badge tone={VERDICT_TONE[score.value.toLowerCase()] ?? 'neutral'}>
                {score.name}: {score.value}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {Object.keys(part.rest).length === 0 ? null : (
        <details className="text-xs">
          <summary className="text-muted">{words.rest}</summary>
          <Value value={part.rest} />
        </details>
      )}
    </section>
  );
}

/** More would slow the page down; the rest is one press away. */
const SHOWN_CHARACTERS_MAX = 8_000;

export function Value({ value }: { readonly value: JsonValue }) {
  const [isWhole, setIsWhole] = useState(false);
  if (value === null) return <p className="text-sm text-muted">{runText.task.nullResult}</p>;
  const whole = toReadableText(value);
  const isCut = !isWhole && whole.length > SHOWN_CHARACTERS_MAX;
  return (
    <div className="flex flex-col items-start gap-1">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-80 w-full overflow-auto rounded bg-canvas p-2 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {isCut ? whole.slice(0, SHOWN_CHARACTERS_MAX) : whole}
      </pre>
      {isCut ? (
        <Button look="quiet" isSmall onClick={() => setIsWhole(true)}>
          {runText.task.showAll(formatBytes(whole.length))}
        </Button>
      ) : null}
    </div>
  );
}
