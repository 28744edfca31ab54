'use client';

import { useNow } from '@/components/providers/constellation-provider';
import { Elapsed } from '@/components/status/task-time';
import { formatFullMoment, formatMoment, formatTook } from '@/components/text/format-time';
import { runText } from '@/components/text/run-text';
import { Badge } from '@/components/ui/badge';
import type { Tone } from '@/components/ui/tone';
import type { Attempt, AttemptPhase, StrayResult } from '@/lib/run/run';
import { assertNever } from '@/lib/std/assert-never';
import { ResultParts } from './result-parts';
import { Section } from './section';

const PHASE_TONE: Record<Exclude<AttemptPhase, 'ended'>, Tone> = {
  queued: 'neutral',
  sending: 'blue',
  accepted: 'blue',
  cancelling: 'amber',
  lost: 'violet',
};
const OUTCOME_TONE = { completed: 'green', failed: 'red', cancelled: 'neutral' } as const satisfies Record<
  string,
  Tone
>;

/** Every try, the newest first; what an older one returned stays readable. */
export function TaskAttempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <Section title={runText.task.attempts}>
      {attempts.length === 0 ? <p className="text-sm text-muted">{runText.task.attemptsNone}</p> : null}
      <ol className="flex flex-col gap-2">
        {[...attempts].reverse().map((attempt) => (
          <AttemptItem key={attempt.number} attempt={attempt} />
        ))}
      </ol>
    </Section>
  );
}

function AttemptItem({ attempt }: { readonly attempt: Attempt }) {
  const nowMs = useNow();
  const { state } = attempt;
  const words = runText.task;
  const error = state.phase === 'ended' ? state.error : state.phase === 'lost' ? state.reason : null;
  const badge =
    state.phase === 'ended' ? (
      <Badge tone={OUTCOME_TONE[state.outcome]}>{words.outcome[state.outcome]}</Badge>
    ) : (
      <Badge tone={PHASE_TONE[state.phase]}>{words.phase[state.phase]}</Badge>
    );
  return (
    <li className="rounded-md border border-line px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{words.attempt(attempt.number)}</span>
        {badge}
        <span className="font-mono text-xs">{attempt.deviceId}</span>
        <span className="ml-auto text-xs text-muted">
          <AttemptTime attempt={attempt} />
        </span>
      </div>
      <p className="mt-0.5 text-xs text-muted" title={formatFullMoment(attempt.queuedAtMs)}>
        {words.queued} {formatMoment(attempt.queuedAtMs, nowMs)} {words.by(attempt.actor)}
      </p>
      {error === null ? null : <p className="mt-1 text-xs break-words whitespace-pre-wrap">{error}</p>}
      {attempt.supersededResult.kind === 'none' ? null : (
        <details className="mt-1 text-xs">
          <summary className="text-muted">{words.result}</summary>
          <ResultParts result={attempt.supersededResult} />
        </details>
      )}
      {attempt.strays.map((stray) => (
        <Stray key={stray.atMs} stray={stray} />
      ))}
    </li>
  );
}

function AttemptTime({ attempt }: { readonly attempt: Attempt }) {
  const startedAtMs = attempt.sendingAtMs ?? attempt.queuedAtMs;
  switch (attempt.state.phase) {
    case 'ended':
      return attempt.sendingAtMs === null ? null : formatTook(attempt.state.endedAtMs - startedAtMs);
    case 'lost':
      return formatTook(attempt.state.lostAtMs - startedAtMs);
    case 'queued':
    case 'sending':
    case 'accepted':
    case 'cancelling':
      return <Elapsed sinceMs={startedAtMs} />;
    default:
      return assertNever(attempt.state);
  }
}

function Stray({ stray }: { readonly stray: StrayResult }) {
  const nowMs = useNow();
  return (
    <details className="mt-1 text-xs">
      <summary className="text-violet-text">
        {runText.task.stray(runText.task.outcome[stray.outcome], formatMoment(stray.atMs, nowMs))}
      </summary>
      {stray.error === null ? null : <p className="mt-1 break-words whitespace-pre-wrap">{stray.error}</p>}
      <ResultParts result={stray.result} />
    </details>
  );
}
