'use client';

import Link from 'next/link';
import { useMemo, useState } from 'react';
import { useBoard } from '@/components/providers/constellation-provider';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import { DataTable, HeadCell } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import { Icon } from '@/components/ui/icon';
import { ProgressArc } from '@/components/ui/progress-arc';
import type { RunList } from '@/lib/store/board-state';
import { RunRow } from './run-row';

/** More rows than anybody reads at once; the rest comes by request. */
const PAGE_ROWS = 100;

export function RunsPage() {
  const copy = useBoard((board) => board.runList);
  return (
    <div className="flex min-h-full flex-col">
      <div className="flex flex-wrap items-center justify-between gap-2 p-4 pb-3">
        <h1 className="text-xl font-semibold">{runText.list.title}</h1>
        <NewRunLink />
      </div>
      {copy.phase === 'loading' ? (
        <p className="flex items-center gap-2 px-4 text-sm text-muted">
          <ProgressArc />
          {runText.list.loading}
        </p>
      ) : null}
      {copy.phase === 'broken' ? <EmptyState title={runText.page.broken(copy.reason)} /> : null}
      {copy.phase === 'ready' ? <Runs runs={copy.value} /> : null}
    </div>
  );
}

function NewRunLink() {
  return (
    <Link
      href="/runs/new"
      className="inline-flex h-8 items-center gap-1.5 rounded-md bg-action px-3 text-sm font-medium text-white hover:bg-action-hover"
    >
      <Icon name="plus" />
      {runText.list.newRun}
    </Link>
  );
}

function Runs({ runs }: { readonly runs: RunList }) {
  const [filter, setFilter] = useState('');
  const [rowsMax, setRowsMax] = useState(PAGE_ROWS);
  const matching = useMemo(() => {
    const wanted = filter.trim().toLowerCase();
    return [...runs.values()].filter((run) => run.name.toLowerCase().includes(wanted));
  }, [runs, filter]);
  if (runs.size === 0) {
    return <EmptyState title={runText.list.emptyTitle}>{runText.list.empty}</EmptyState>;
  }
  const words = runText.list.columns;
  return (
    <>
      <div className="px-4 pb-3">
        <input
          type="search"
          aria-label={runText.list.filter}
          placeholder={runText.list.filter}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          className="h-8 w-full max-w-72 rounded-md border border-control bg-card px-2.5 text-sm"
        />
      </div>
      {matching.length === 0 ? (
        <EmptyState
          title={runText.list.noMatch(filter, runs.size)}
          actions={<Button onClick={() => setFilter('')}>{runText.list.clear}</Button>}
        />
      ) : (
        <div className="border-t border-line bg-card">
          <DataTable label={runText.list.title}>
            <thead className="max-sm:sr-only">
              <tr>
                <HeadCell className="w-36">{words.state}</HeadCell>
                <HeadCell>{words.name}</HeadCell>
                <HeadCell className="w-56">{words.tasks}</HeadCell>
                <HeadCell className="w-32">{words.by}</HeadCell>
                <HeadCell className="w-44">{words.when}</HeadCell>
                <HeadCell className="w-32 text-right">{words.duration}</HeadCell>
              </tr>
            </thead>
            <tbody>
              {matching.slice(0, rowsMax).map((run) => (
                <RunRow key={run.runId} summary={run} />
              ))}
            </tbody>
          </DataTable>
        </div>
      )}
      {matching.length > rowsMax ? (
        <div className="p-4">
          <Button onClick={() => setRowsMax(rowsMax + PAGE_ROWS)}>
            {runText.list.more(Math.min(PAGE_ROWS, matching.length - rowsMax))}
          </Button>
        </div>
      ) : null}
    </>
  );
}
