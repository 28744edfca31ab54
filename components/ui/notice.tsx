import type { ReactNode } from 'react';
import { classNames } from './class-names';
import { Icon, type IconName } from './icon';
import { TONE_BORDER, TONE_SOLID, TONE_TINTED, type Tone } from './tone';

const ICON: Record<Tone, IconName> = {
  neutral: 'info',
  blue: 'info',
  green: 'check',
  red: 'warning',
  amber: 'warning',
  violet: 'warning',
};

type NoticeProps = {
  readonly tone: Tone;
  readonly title?: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
};

/** A message that stands where it belongs and stays until its cause is gone; never floats over the page. */
export function Notice({ tone, title, children, actions, className }: NoticeProps) {
  return (
    <div
      role={tone === 'red' ? 'alert' : 'status'}
      className={classNames(
        'flex items-start gap-2 rounded-md border-l-4 px-3 py-2 text-sm',
        TONE_TINTED[tone],
        TONE_BORDER[tone],
        className,
      )}
    >
      <Icon name={ICON[tone]} className={classNames('mt-0.5', TONE_SOLID[tone])} />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        {title !== undefined && <p className="font-semibold">{title}</p>}
        {children !== undefined && <div className="break-words">{children}</div>}
      </div>
      {actions !== undefined && <div className="flex shrink-0 gap-2">{actions}</div>}
    </div>
  );
}
