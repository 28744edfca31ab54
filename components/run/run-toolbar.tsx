'use client';

import { useEffect, useRef, useState } from 'react';
import { Complaint } from '@/components/command/complaint';
import { useCommand } from '@/components/command/use-command';
import { useBoard, useConstellationClient } from '@/components/providers/constellation-provider';
import { RunStateBadge } from '@/components/status/state-badges';
import { Elapsed } from '@/components/status/task-time';
import { formatTook } from '@/components/text/format-time';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { isPendingFor } from '@/lib/store/selectors/pending-for';
import { liveCount, runWord } from '@/lib/store/selectors/run-overview';
import { CancelRunDialog } from './cancel-run-dialog';
import { useLaunchObstacle, useLiveRun, useObstacle } from './live-run';
import { StateStrip } from './state-strip';

/** One line of facts and actions, one of counts. Its height never changes, so the graph below never moves. */
export function RunToolbar() {
  const { run, view } = useLiveRun();
  const word = runWord(run, run.cancelAsked === null ? 'not-asked' : 'asked');
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the word says that buttons may have gone
  useEffect(() => {
    // Launch and Cancel go when they have done their work; a keyboard goes on from here instead of from the top of the page.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [word]);
  return (
    <header className="relative shrink-0 border-b border-line bg-card">
      <div className="flex h-12 items-center gap-3 px-4 max-sm:h-20 max-sm:flex-wrap max-sm:content-center max-sm:gap-y-1">
        <RunStateBadge word={word} />
        <h1
          ref={heading}
          tabIndex={-1}
          className="min-w-0 outline-none flex-1 truncate text-lg font-semibold max-sm:order-last max-sm:basis-full"
          title={run.constellation.name}
        >
          {run.constellation.name === '' ? runText.page.unnamed : run.constellation.name}
        </h1>
        <RunTime />
        <RunActions runningCount={liveCount(view)} />
      </div>
      <StateStrip view={view} />
    </header>
  );
}

function RunTime() {
  const { run } = useLiveRun();
  const { launchedAtMs, startedAtMs, endedAtMs } = run;
  const sinceMs = launchedAtMs ?? startedAtMs;
  return (
    <span className="min-w-20 text-right text-sm tabular-nums text-muted max-sm:hidden" title={runText.page.elapsed}>
      {sinceMs === null ? null : endedAtMs === null ? <Elapsed sinceMs={sinceMs} /> : formatTook(endedAtMs - sinceMs)}
    </span>
  );
}

function RunActions({ runningCount }: { readonly runningCount: number }) {
  const { run } = useLiveRun();
  const { runId } = run;
  const client = useConstellationClient();
  const command = useCommand();
  const [isCancelOpen, setIsCancelOpen] = useState(false);
  const launchObstacle = useLaunchObstacle().reason;
  const cancelObstacle = useObstacle({ type: 'run-cancel', runId });
  const isLaunching = useBoard((board) => isPendingFor(board, { type: 'run-launch', runId }));
  const isCancelling = useBoard((board) => isPendingFor(board, { type: 'run-cancel', runId }));
  const isDraft = run.launchedAtMs === null && run.endedAtMs === null && run.cancelAsked === null;
  const mayCancel = run.endedAtMs === null && run.cancelAsked === null;
  return (
    <div className="flex items-center gap-2 max-sm:ml-auto">
      {isDraft ? (
        <Button
          look="primary"
          isBusy={isLaunching}
          unavailableBecause={launchObstacle}
          onClick={() => command.ask(() => client.launch(runId))}
        >
          {runText.page.launch}
        </Button>
      ) : null}
      {mayCancel ? (
        <Button isBusy={isCancelling} unavailableBecause={cancelObstacle} onClick={() => setIsCancelOpen(true)}>
          {runText.page.cancelRun}
        </Button>
      ) : null}
      <ExportLink />
      {isCancelOpen ? (
        <CancelRunDialog
          name={run.constellation.name}
          runningCount={runningCount}
          onClose={() => setIsCancelOpen(false)}
          onConfirm={(reason) => {
            setIsCancelOpen(false);
            command.ask(() => client.cancelRun(runId, reason));
          }}
        />
      ) : null}
      <div className="absolute top-full right-4 z-20 mt-2 max-w-lg empty:hidden">
        <Complaint command={command} />
      </div>
    </div>
  );
}

/** The relay's own document of the run, which can be imported again as it is. */
function ExportLink() {
  const { run } = useLiveRun();
  return (
    <a
      href={`/v1/runs/${run.runId}`}
      download={`${fileNameOf(run.constellation.name)}.json`}
      className="inline-flex h-8 items-center gap-1.5 rounded-md border border-control bg-card px-3 text-sm font-medium whitespace-nowrap hover:bg-hover max-sm:px-2"
      title={runText.page.exportJson}
      aria-label={runText.page.exportJson}
    >
      <Icon name="download" />
      <span className="max-lg:hidden">{runText.page.exportJson}</span>
    </a>
  );
}

function fileNameOf(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, '_').replace(/^[_.]+|[_.]+$/g, '');
  return safe === '' ? 'run' : safe.slice(0, 80);
}
