import type { ReactNode } from 'react';

type SectionProps = {
  readonly title: string;
  /** Of its heading: 2 where no other heading of the panel stands above it. */
  readonly level?: 2 | 3;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A titled part of the side panel. */
export function Section({ title, level = 3, actions, children }: SectionProps) {
  const Heading = `h${level}` as const;
  return (
    <section className="flex flex-col gap-1.5">
      <div className="flex min-h-7 items-center justify-between gap-2">
        <Heading className="text-xs font-semibold text-muted">{title}</Heading>
        {actions}
      </div>
      {children}
    </section>
  );
}
