import type { ReactNode } from 'react';

type EmptyStateProps = { readonly title: string; readonly children?: ReactNode; readonly actions?: ReactNode };

/** Nothing here yet, and what to do about it. */
export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-12 text-center">
      <p className="text-lg font-semibold">{title}</p>
      {children !== undefined && <div className="max-w-prose text-sm text-muted">{children}</div>}
      {actions !== undefined && <div className="flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
