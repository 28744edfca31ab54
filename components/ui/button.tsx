import { type ButtonHTMLAttributes, type MouseEvent, type ReactNode, useId, useRef } from 'react';
import { classNames } from './class-names';
import { Icon, type IconName } from './icon';
import { ProgressArc } from './progress-arc';

export type ButtonLook = 'primary' | 'secondary' | 'quiet' | 'danger';

const LOOK: Record<ButtonLook, string> = {
  primary: 'bg-action text-white border-transparent hover:bg-action-hover',
  secondary: 'bg-card text-ink border-control hover:bg-hover',
  quiet: 'bg-transparent text-ink border-transparent hover:bg-hover',
  danger: 'bg-danger text-white border-transparent hover:bg-danger-hover',
};

/** Two presses within this time are one wish: Enter and a click, or a hand that trembles. */
const ONE_WISH_MS = 500;

const UNAVAILABLE = 'bg-transparent text-muted cursor-not-allowed';

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> & {
  readonly look?: ButtonLook;
  readonly icon?: IconName;
  /** Shows only the icon; `aria-label` names the button. */
  readonly isIconOnly?: boolean;
  readonly isSmall?: boolean;
  /** Work is under way: the button keeps its word, turns its icon into an arc and takes no press. */
  readonly isBusy?: boolean;
  /** Why it cannot be used now. It stays focusable, so that the reason can be read with a keyboard too. */
  readonly unavailableBecause?: string | undefined;
  /** Every press counts, however fast; for what adds one more of something on the page. */
  readonly isRepeatable?: boolean;
  readonly children?: ReactNode;
};

export function Button(props: ButtonProps) {
  const {
    look = 'secondary',
    icon,
    isIconOnly = false,
    isSmall = false,
    isBusy = false,
    unavailableBecause,
    isRepeatable = false,
    className,
    onClick,
    onKeyDown,
    type = 'button',
    children,
    title,
    ...rest
  } = props;
  const reasonId = useId();
  const pressedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const isUnavailable = unavailableBecause !== undefined;
  return (
    <button
      {...rest}
      type={type}
      title={unavailableBecause ?? title}
      aria-disabled={isUnavailable || isBusy ? true : undefined}
      aria-busy={isBusy ? true : undefined}
      aria-describedby={isUnavailable ? reasonId : rest['aria-describedby']}
      onClick={(event) => {
        const isWanted = isRepeatable || isNewWish(event, pressedAtMs.current);
        if (isUnavailable || isBusy || !isWanted) return event.preventDefault();
        pressedAtMs.current = event.timeStamp;
        onClick?.(event);
      }}
      onKeyDown={(event) => {
        // A held Enter key would press again and again.
        if (event.repeat && !isRepeatable && event.key === 'Enter') event.preventDefault();
        onKeyDown?.(event);
      }}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none',
        isSmall ? 'h-7 text-xs' : 'h-8 text-sm',
        isIconOnly ? (isSmall ? 'w-7' : 'w-8') : isSmall ? 'px-2' : 'px-3',
        isUnavailable ? classNames(UNAVAILABLE, look === 'quiet' ? 'border-transparent' : 'border-line') : LOOK[look],
        className,
      )}
    >
      {isBusy ? <ProgressArc /> : icon !== undefined && <Icon name={icon} />}
      {!isIconOnly && children}
      {isUnavailable && (
        <span id={reasonId} hidden>
          {unavailableBecause}
        </span>
      )}
    </button>
  );
}

/** The second click of a double click belongs to the first one, even when another button has come under the pointer since. */
function isNewWish(event: MouseEvent, pressedAtMs: number): boolean {
  return event.detail <= 1 && event.timeStamp - pressedAtMs >= ONE_WISH_MS;
}
