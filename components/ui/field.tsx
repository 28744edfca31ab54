import { type ComponentPropsWithRef, type ReactNode, useId } from 'react';
import { classNames } from './class-names';
import { Icon } from './icon';

type FieldProps = {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly children: (parts: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }) => ReactNode;
};

/** Label, control, hint and the error of just this control, tied together for screen readers. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = hint !== undefined || error !== undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': hasNote ? noteId : undefined, 'aria-invalid': error !== undefined })}
      {hasNote && (
        <div id={noteId} className="flex flex-col gap-0.5 text-xs">
          {error !== undefined && (
            <p className="flex items-start gap-1 text-red-text">
              <Icon name="warning" className="text-red-solid" />
              {error}
            </p>
          )}
          {hint !== undefined && <p className="text-muted">{hint}</p>}
        </div>
      )}
    </div>
  );
}

const CONTROL =
  'w-full rounded-md border bg-card px-2.5 text-sm text-ink disabled:opacity-60 aria-invalid:border-red-solid border-control';

type LabelProps = { readonly label: string; readonly hint?: ReactNode; readonly error?: string | undefined };

export function TextField({ label, hint, error, className, ...rest }: LabelProps & ComponentPropsWithRef<'input'>) {
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {(parts) => <input {...rest} {...parts} className={classNames(CONTROL, 'h-8', className)} />}
    </Field>
  );
}

export function TextArea({ label, hint, error, className, ...rest }: LabelProps & ComponentPropsWithRef<'textarea'>) {
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {(parts) => <textarea {...rest} {...parts} className={classNames(CONTROL, 'min-h-16 py-1.5', className)} />}
    </Field>
  );
}

export function SelectField({ label, hint, error, className, ...rest }: LabelProps & ComponentPropsWithRef<'select'>) {
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {(parts) => <select {...rest} {...parts} className={classNames(CONTROL, 'h-8', className)} />}
    </Field>
  );
}

export function CheckField({ label, hint, ...rest }: Omit<LabelProps, 'error'> & ComponentPropsWithRef<'input'>) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input {...rest} id={id} type="checkbox" className="mt-0.5 size-4 accent-action" />
      <div className="flex flex-col">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {hint !== undefined && <span className="text-xs text-muted">{hint}</span>}
      </div>
    </div>
  );
}
