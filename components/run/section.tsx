import type { ReactNode } from 'react';

type SectionProps = { readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode };

/** A titled part of the inspector. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <section className="flex flex-col gap-1.5">
      <div className="flex min-h-7 items-center justify-between gap-2">
        <h3 className="text-xs font-semibold text-muted">{title}</h3>
        {actions}
      </div>
      {children}
    </section>
  );
}
