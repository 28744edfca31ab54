import { type ReactNode, useId } from 'react';
import { classNames } from './class-names';

type PanelProps = {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
  /** For content that brings its own edges, such as a table. */
  readonly isFlush?: boolean;
};

/** A titled part of a page. */
export function Panel({ title, actions, children, className, isFlush = false }: PanelProps) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId} className={classNames('rounded-lg border border-line bg-card', className)}>
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-1.5">
        <h2 id={headingId} className="text-base font-semibold">
          {title}
        </h2>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      <div className={isFlush ? undefined : 'p-4'}>{children}</div>
    </section>
  );
}
