'use client';

import { useMemo, useState } from 'react';
import { useBoard, useGate } from '@/components/providers/constellation-provider';
import { FailureNotice } from '@/components/shell/error-card';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { DataTable, HeadCell } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import type { Fleet } from '@/lib/fleet/device';
import type { DeviceId } from '@/lib/std/ids';
import { fleetCounts, listedDeviceIds } from '@/lib/store/selectors/fleet-view';
import { BulkBar } from './bulk-bar';
import { DeviceDialog } from './device-dialog';
import { DeviceRow } from './device-row';
import { ImportDialog } from './import-dialog';
import { useAddressFilter } from './use-address-filter';

/** Cells say what they are by their own words, where rows are cards. */
const NOT_ON_A_PHONE = 'max-sm:sr-only';

type OpenDialog = 'none' | 'add' | 'import';

export function DevicesPage() {
  const copy = useBoard((state) => state.fleet);
  const [dialog, setDialog] = useState<OpenDialog>('none');
  const words = text.fleet.list;
  return (
    <div className="flex min-h-full flex-col">
      <div className="flex flex-col gap-3 p-4 pb-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <div className="flex flex-wrap items-baseline gap-3">
            <h1 className="text-xl font-semibold">{text.fleet.title}</h1>
            {copy.phase === 'ready' && <Summary fleet={copy.value} />}
          </div>
          <div className="flex gap-2">
            <AdminButton icon="file" onOpen={() => setDialog('import')} label={words.import} />
            <AdminButton icon="plus" onOpen={() => setDialog('add')} label={words.add} isPrimary />
          </div>
        </div>
      </div>
      {copy.phase === 'broken' && <FailureNotice reason={copy.reason} onRetry={() => window.location.reload()} />}
      {copy.phase === 'loading' && <p className="px-4 text-sm text-muted">{text.shell.common.loading}</p>}
      {copy.phase === 'ready' && <DeviceTable fleet={copy.value} onAdd={() => setDialog('add')} />}
      {dialog === 'add' && <DeviceDialog onClose={() => setDialog('none')} />}
      {dialog === 'import' && <ImportDialog onClose={() => setDialog('none')} />}
    </div>
  );
}

function Summary({ fleet }: { readonly fleet: Fleet }) {
  const { all, online, busy } = fleetCounts(fleet.devices.values());
  return <p className="text-sm text-muted">{text.fleet.list.summary(all, online, busy)}</p>;
}

type AdminButtonProps = {
  readonly icon: 'file' | 'plus';
  readonly label: string;
  readonly isPrimary?: boolean;
  readonly onOpen: () => void;
};

function AdminButton({ icon, label, isPrimary = false, onOpen }: AdminButtonProps) {
  const gate = useGate('device-add');
  return (
    <Button
      icon={icon}
      look={isPrimary ? 'primary' : 'secondary'}
      unavailableBecause={gate.isOpen ? undefined : gate.reason}
      onClick={onOpen}
    >
      {label}
    </Button>
  );
}

function DeviceTable({ fleet, onAdd }: { readonly fleet: Fleet; readonly onAdd: () => void }) {
  const words = text.fleet.list;
  const [filter, setFilter] = useAddressFilter();
  const [selected, setSelected] = useState<ReadonlySet<DeviceId>>(new Set());
  const ids = useMemo(() => listedDeviceIds(fleet, filter), [fleet, filter]);
  const chosen = useMemo(() => new Set([...selected].filter((id) => fleet.devices.has(id))), [selected, fleet]);

  if (fleet.devices.size === 0) {
    return (
      <EmptyState title={words.emptyTitle} actions={<AdminButton icon="plus" label={words.add} onOpen={onAdd} />}>
        {words.empty}
      </EmptyState>
    );
  }

  const isAllSelected = ids.length > 0 && ids.every((id) => chosen.has(id));
  const select = (deviceId: DeviceId, isSelected: boolean) =>
    setSelected((before) => {
      const after = new Set(before);
      if (isSelected) after.add(deviceId);
      else after.delete(deviceId);
      return after;
    });

  return (
    <>
      <div className="px-4 pb-3">
        <input
          type="search"
          aria-label={words.filter}
          placeholder={words.filterHint}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          className="h-8 w-full max-w-sm rounded-md border border-control bg-card px-2.5 text-sm"
        />
      </div>
      <div className="mx-4 mb-4 rounded-lg border border-line bg-card">
        {ids.length === 0 ? (
          <EmptyState
            title={words.noMatchTitle}
            actions={<Button onClick={() => setFilter('')}>{words.clearFilter}</Button>}
          >
            {words.noMatch(fleet.devices.size)}
          </EmptyState>
        ) : (
          <DataTable label={words.label}>
            <thead>
              <tr className="max-sm:flex max-sm:items-center max-sm:border-b max-sm:border-line">
                <HeadCell className="max-sm:flex max-sm:items-center max-sm:gap-3 max-sm:border-b-0">
                  <input
                    type="checkbox"
                    aria-label={words.selectAll}
                    checked={isAllSelected}
                    onChange={(event) => setSelected(event.target.checked ? new Set(ids) : new Set())}
                    className="block size-4 accent-action"
                  />
                  <span aria-hidden="true" className="sm:hidden">
                    {words.selectAll}
                  </span>
                </HeadCell>
                <HeadCell className={NOT_ON_A_PHONE}>{words.columns.device}</HeadCell>
                <HeadCell className={NOT_ON_A_PHONE}>{words.columns.connection}</HeadCell>
                <HeadCell className={NOT_ON_A_PHONE}>{words.columns.work}</HeadCell>
                <HeadCell className={NOT_ON_A_PHONE}>{words.columns.info}</HeadCell>
                <HeadCell className={`${NOT_ON_A_PHONE} sm:max-xl:hidden`}>{words.columns.capabilities}</HeadCell>
                <HeadCell className={`${NOT_ON_A_PHONE} text-right`}>{words.columns.actions}</HeadCell>
              </tr>
            </thead>
            <tbody>
              {ids.map((deviceId) => (
                <DeviceRow key={deviceId} deviceId={deviceId} isSelected={chosen.has(deviceId)} onSelect={select} />
              ))}
            </tbody>
          </DataTable>
        )}
      </div>
      <div className="mt-auto" />
      <BulkBar selected={chosen} onClear={() => setSelected(new Set())} />
    </>
  );
}
