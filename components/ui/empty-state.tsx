import type { ReactNode } from 'react';

type EmptyStateProps = {
  readonly title: string;
  /** The title is the page's own heading, since there is nothing else on it. */
  readonly isWholePage?: boolean;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
};

/** Nothing here yet, and what to do about it. */
export function EmptyState({ title, isWholePage = false, children, actions }: EmptyStateProps) {
  const Title = isWholePage ? 'h1' : 'p';
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-12 text-center">
      <Title className="text-lg font-semibold">{title}</Title>
      {children !== undefined && <div className="max-w-prose text-sm text-muted">{children}</div>}
      {actions !== undefined && <div className="flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
