import { useId } from 'react';
import { text } from '@/components/text/catalogue';
import { ChipsField } from '@/components/ui/chips-field';
import { CheckField, TextField } from '@/components/ui/field';
import { DEVICE_KIND_FACTS, DEVICE_KINDS, deviceKindOf } from '@/lib/fleet/device-kinds';
import type { DeviceForm, DeviceFormErrors } from './device-form';
import { MetadataField } from './metadata-field';

type DeviceFieldsProps = {
  readonly form: DeviceForm;
  readonly errors: DeviceFormErrors;
  /** The id of a device that exists stays as it is. */
  readonly isNew: boolean;
  readonly onChange: (patch: Partial<DeviceForm>) => void;
};

export function DeviceFields({ form, errors, isNew, onChange }: DeviceFieldsProps) {
  const words = text.fleet.form;
  return (
    <>
      {isNew && (
        <TextField
          label={words.id}
          hint={words.idHint}
          error={errors.device_id}
          value={form.deviceId}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ deviceId: event.target.value })}
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
        onChange={(event) => onChange({ serverUrl: event.target.value })}
      />
      <SystemField os={form.os} error={errors.os} onChange={(os) => onChange({ os })} />
      <ChipsField
        label={words.capabilities}
        hint={words.capabilitiesHint}
        error={errors.capabilities}
        values={form.capabilities}
        suggestions={DEVICE_KIND_FACTS[deviceKindOf(form.os)].defaultCapabilities}
        suggestionsLabel={words.suggested}
        addLabel={words.addCapability}
        removeLabel={words.removeCapability}
        onChange={(capabilities) => onChange({ capabilities })}
      />
      <MetadataField form={form.metadata} error={errors.metadata} onChange={(metadata) => onChange({ metadata })} />
      <CheckField
        label={words.autoConnect}
        hint={words.autoConnectHint}
        checked={form.autoConnect}
        onChange={(event) => onChange({ autoConnect: event.target.checked })}
      />
      <TextField
        label={words.maxRetries}
        hint={words.maxRetriesHint}
        error={errors.max_retries}
        value={form.maxRetries}
        inputMode="numeric"
        onChange={(event) => onChange({ maxRetries: event.target.value })}
      />
    </>
  );
}

type SystemFieldProps = {
  readonly os: string;
  readonly error: string | undefined;
  readonly onChange: (os: string) => void;
};

/** Any word is taken; the ones that Orrery knows are offered. */
function SystemField({ os, error, onChange }: SystemFieldProps) {
  const words = text.fleet.form;
  const listId = useId();
  return (
    <>
      <TextField
        label={words.os}
        hint={words.osHint}
        error={error}
        value={os}
        list={listId}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {DEVICE_KINDS.filter((kind) => kind !== 'unknown').map((kind) => (
          <option key={kind} value={kind}>
            {DEVICE_KIND_FACTS[kind].word}
          </option>
        ))}
      </datalist>
    </>
  );
}
