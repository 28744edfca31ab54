'use client';

import { type FormEvent, useId, useState } from 'react';
import { useGate } from '@/components/providers/constellation-provider';
import { ANY_ANSWER, askRelay } from '@/components/providers/relay-http';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { ChipsField } from '@/components/ui/chips-field';
import { Dialog } from '@/components/ui/dialog';
import { CheckField, TextField } from '@/components/ui/field';
import { Notice } from '@/components/ui/notice';
import type { DeviceProfile } from '@/lib/fleet/device';
import { DEVICE_KIND_FACTS, DEVICE_KINDS, deviceKindOf } from '@/lib/fleet/device-kinds';
import {
  bodyOfForm,
  type DeviceForm,
  type DeviceFormErrors,
  EMPTY_DEVICE_FORM,
  errorsOfProblem,
  formOfDevice,
} from './device-form';
import { MetadataField } from './metadata-field';

type DeviceDialogProps = {
  /** The device to edit; left out to add one. */
  readonly profile?: DeviceProfile;
  readonly onClose: () => void;
};

/** Goes over HTTP, since only there each complaint names its field. */
export function DeviceDialog({ profile, onClose }: DeviceDialogProps) {
  const words = text.fleet.form;
  const formId = useId();
  const osListId = useId();
  const gate = useGate(profile === undefined ? 'device-add' : 'device-edit');
  const [form, setForm] = useState<DeviceForm>(() =>
    profile === undefined ? EMPTY_DEVICE_FORM : formOfDevice(profile),
  );
  const [errors, setErrors] = useState<DeviceFormErrors>({});
  const [isSaving, setIsSaving] = useState(false);
  const set = (patch: Partial<DeviceForm>) => setForm((before) => ({ ...before, ...patch }));

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSaving || !gate.isOpen) return;
    const body = bodyOfForm(form, profile);
    if (!body.ok) return setErrors(body.error);
    if (Object.keys(body.value).length === 0) return onClose();
    setErrors({});
    setIsSaving(true);
    const answer = await askRelay({
      method: profile === undefined ? 'POST' : 'PATCH',
      path: profile === undefined ? '/v1/devices' : `/v1/devices/${encodeURIComponent(profile.deviceId)}`,
      body: { type: 'application/json', text: JSON.stringify(body.value) },
      answer: ANY_ANSWER,
    });
    setIsSaving(false);
    if (answer.ok) onClose();
    else setErrors(errorsOfProblem(answer.error));
  }

  const isNew = profile === undefined;
  return (
    <Dialog
      title={isNew ? words.addTitle : words.editTitle(profile.deviceId)}
      closeLabel={text.shell.common.close}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{text.shell.common.cancel}</Button>
          <Button
            look="primary"
            type="submit"
            form={formId}
            isBusy={isSaving}
            unavailableBecause={gate.isOpen ? undefined : gate.reason}
          >
            {isNew ? words.add : words.save}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={save} className="flex flex-col gap-4">
        {errors.form !== undefined && <Notice tone="red">{errors.form}</Notice>}
        {isNew && (
          <TextField
            label={words.id}
            hint={words.idHint}
            error={errors.device_id}
            value={form.deviceId}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ deviceId: event.target.value })}
          />
        )}
        <TextField
          label={words.serverUrl}
          hint={isNew ? words.serverUrlHint : words.serverUrlEditHint}
          error={errors.server_url}
          value={form.serverUrl}
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          onChange={(event) => set({ serverUrl: event.target.value })}
        />
        <TextField
          label={words.os}
          hint={words.osHint}
          error={errors.os}
          value={form.os}
          list={osListId}
          autoComplete="off"
          onChange={(event) => set({ os: event.target.value })}
        />
        <datalist id={osListId}>
          {DEVICE_KINDS.filter((kind) => kind !== 'unknown').map((kind) => (
            <option key={kind} value={kind}>
              {DEVICE_KIND_FACTS[kind].word}
            </option>
          ))}
        </datalist>
        <ChipsField
          label={words.capabilities}
          hint={words.capabilitiesHint}
          error={errors.capabilities}
          values={form.capabilities}
          suggestions={DEVICE_KIND_FACTS[deviceKindOf(form.os)].defaultCapabilities}
          suggestionsLabel={words.suggested}
          addLabel={words.addCapability}
          removeLabel={words.removeCapability}
          onChange={(capabilities) => set({ capabilities })}
        />
        <MetadataField form={form.metadata} error={errors.metadata} onChange={(metadata) => set({ metadata })} />
        <CheckField
          label={words.autoConnect}
          hint={words.autoConnectHint}
          checked={form.autoConnect}
          onChange={(event) => set({ autoConnect: event.target.checked })}
        />
        <TextField
          label={words.maxRetries}
          hint={words.maxRetriesHint}
          error={errors.max_retries}
          value={form.maxRetries}
          inputMode="numeric"
          onChange={(event) => set({ maxRetries: event.target.value })}
        />
      </form>
    </Dialog>
  );
}
