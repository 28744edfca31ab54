'use client';

import { type FormEvent, useId, useState } from 'react';
import { useGate } from '@/components/providers/constellation-provider';
import { ANY_ANSWER, askRelay } from '@/components/providers/relay-http';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Notice } from '@/components/ui/notice';
import type { DeviceProfile } from '@/lib/fleet/device';
import { DeviceFields } from './device-fields';
import {
  bodyOfForm,
  type DeviceForm,
  type DeviceFormErrors,
  EMPTY_DEVICE_FORM,
  errorsOfProblem,
  formOfDevice,
} from './device-form';

type DeviceDialogProps = {
  /** The device to edit; left out to add one. */
  readonly profile?: DeviceProfile;
  readonly onClose: () => void;
};

export function DeviceDialog({ profile, onClose }: DeviceDialogProps) {
  const words = text.fleet.form;
  const formId = useId();
  const gate = useGate(profile === undefined ? 'device-add' : 'device-edit');
  const { form, errors, isSaving, change, save } = useDeviceForm(profile, onClose);
  const isNew = profile === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (gate.isOpen) void save();
  };
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
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-4">
        {errors.form !== undefined && <Notice tone="red">{errors.form}</Notice>}
        <DeviceFields form={form} errors={errors} isNew={isNew} onChange={change} />
      </form>
    </Dialog>
  );
}

/** What is typed, and its way to the relay: over HTTP, since only there each complaint names its field. */
function useDeviceForm(profile: DeviceProfile | undefined, onClose: () => void) {
  const [form, setForm] = useState<DeviceForm>(() =>
    profile === undefined ? EMPTY_DEVICE_FORM : formOfDevice(profile),
  );
  const [errors, setErrors] = useState<DeviceFormErrors>({});
  const [isSaving, setIsSaving] = useState(false);
  return {
    form,
    errors,
    isSaving,
    change: (patch: Partial<DeviceForm>) => setForm((before) => ({ ...before, ...patch })),
    async save(): Promise<void> {
      if (isSaving) return;
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
    },
  };
}
