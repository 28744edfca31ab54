'use client';

import { useRouter } from 'next/navigation';
import { useDeferredValue, useMemo, useState } from 'react';
import { useBoard, useGate } from '@/components/providers/constellation-provider';
import { askRelay } from '@/components/providers/relay-http';
import { formatBytes } from '@/components/text/format-bytes';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import { TextArea } from '@/components/ui/field';
import { EMPTY_FLEET, type Fleet } from '@/lib/fleet/device';
import { type Problem, runCreatedSchema } from '@/lib/relay-protocol/http';
import { type ConstellationCheck, checkConstellation } from '@/lib/store/selectors/check-constellation';
import { launchFaults } from '@/lib/store/selectors/launch-faults';
import { CheckResult } from './check-result';
import { ExampleList } from './example-list';
import { FileDrop } from './file-drop';
import { launchBlocked } from './live-run';
import { ProblemList } from './problem-list';

/** Paste, drop or choose a file; see what it would become; create it. What is typed stays when something fails. */
export function NewRunPage({ examples }: { readonly examples: readonly string[] }) {
  const [source, setSource] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const fleet = useBoard((board) => (board.fleet.phase === 'ready' ? board.fleet.value : EMPTY_FLEET));
  // The check of a large plan takes a second; what is typed appears at once.
  const checked = useDeferredValue(source);
  const check = useMemo(
    () => (checked.trim() === '' ? null : checkConstellation(checked, fleet, { nowMs: Date.now(), newHex: randomHex })),
    [checked, fleet],
  );
  const launchObstacle = useMemo(() => obstacleOf(check, fleet), [check, fleet]);
  const creation = useCreation();
  const take = (text: string) => {
    setSource(text);
    setFault(null);
    creation.forget();
  };
  const words = runText.create;
  return (
    <FileDrop onText={take} onFault={setFault}>
      {(chooseButton) => (
        <div className="flex min-h-0 flex-1 max-lg:flex-col">
          <section className="flex w-full shrink-0 flex-col gap-3 border-line bg-card p-4 lg:w-[420px] lg:overflow-y-auto lg:border-r xl:w-[520px]">
            <h1 className="text-xl font-semibold">{words.title}</h1>
            <div className="flex flex-wrap items-center gap-2">
              {chooseButton}
              {source === '' ? null : (
                <Button look="quiet" onClick={() => take('')}>
                  {words.clear}
                </Button>
              )}
            </div>
            <ExampleList names={examples} onText={take} onFault={setFault} />
            <TextArea
              label={words.json}
              hint={words.hint}
              error={fault ?? undefined}
              value={source}
              onChange={(event) => take(event.currentTarget.value)}
              spellCheck={false}
              autoComplete="off"
              className="min-h-64 resize-y font-mono text-xs lg:h-[calc(100dvh-24rem)]"
            />
          </section>
          <section className="flex min-h-0 min-w-0 flex-1 flex-col">
            {check === null ? <p className="p-6 text-sm text-muted">{words.waiting}</p> : null}
            {check?.kind === 'problems' ? (
              <div className="overflow-y-auto p-4">
                <ProblemList title={words.problemsTitle(check.problems.length)} problems={check.problems} />
              </div>
            ) : null}
            {check?.kind === 'valid' ? (
              <CheckResult
                run={check.run}
                fleet={fleet}
                actions={
                  <CreateButtons
                    isBusy={creation.busyWith}
                    isChecking={checked !== source}
                    launchObstacle={launchObstacle}
                    onCreate={(how) => creation.create(checked, how)}
                  />
                }
                launchObstacle={launchObstacle}
                refusal={creation.refusal}
              />
            ) : null}
          </section>
        </div>
      )}
    </FileDrop>
  );
}

/** Tasks without a device are told in short: the list of warnings names each of them with its place. */
function obstacleOf(check: ConstellationCheck | null, fleet: Fleet): string | null {
  if (check?.kind !== 'valid' || check.launchObstacle === null) return null;
  const faults = launchFaults(check.run, fleet);
  return faults.length === 0 ? check.launchObstacle : launchBlocked(faults);
}

type How = 'draft' | 'launch';

function useCreation() {
  const router = useRouter();
  const [busyWith, setBusyWith] = useState<How | null>(null);
  const [refusal, setRefusal] = useState<Problem | null>(null);
  return {
    busyWith,
    refusal,
    forget: () => setRefusal(null),
    async create(source: string, how: How) {
      if (busyWith !== null) return;
      setBusyWith(how);
      setRefusal(null);
      const answer = await askRelay({
        method: 'POST',
        path: how === 'launch' ? '/v1/runs?launch=true' : '/v1/runs',
        body: { type: 'application/json', text: source },
        answer: runCreatedSchema,
      });
      if (answer.ok) {
        router.push(`/runs/${answer.value.id}`);
        return;
      }
      setBusyWith(null);
      setRefusal(withSize(answer.error, source));
    },
  };
}

/** The relay tells its limit alone; how far the text is above it is seen here only. */
function withSize(problem: Problem, source: string): Problem {
  if (problem.code !== 'too-large') return problem;
  return { ...problem, detail: runText.create.tooLarge(formatBytes(new Blob([source]).size), problem.detail) };
}

type CreateButtonsProps = {
  readonly isBusy: How | null;
  /** What is seen beside the buttons belongs to an older text. */
  readonly isChecking: boolean;
  readonly launchObstacle: string | null;
  readonly onCreate: (how: How) => void;
};

function CreateButtons({ isBusy, isChecking, launchObstacle, onCreate }: CreateButtonsProps) {
  const gate = useGate('run-launch');
  const closed = gate.isOpen ? (isChecking ? runText.create.checking : undefined) : gate.reason;
  return (
    <>
      <Button isBusy={isBusy === 'draft'} unavailableBecause={closed} onClick={() => onCreate('draft')}>
        {runText.create.draft}
      </Button>
      <Button
        look="primary"
        isBusy={isBusy === 'launch'}
        unavailableBecause={closed ?? launchObstacle ?? undefined}
        onClick={() => onCreate('launch')}
      >
        {runText.create.launch}
      </Button>
    </>
  );
}

/** Ids made here are for the preview alone; the relay makes its own. */
function randomHex(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
