'use client';

import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Button } from './button';
import { classNames } from './class-names';

type DialogProps = {
  readonly title: string;
  readonly closeLabel: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
};

/**
 * A modal of the platform: focus stays inside, Escape closes, focus returns to where it was. Mounted means open. It begins at
 * its first field, or at the first button of its footer, which is the one that changes nothing.
 */
export function Dialog({ title, closeLabel, onClose, children, footer, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const footerBox = useRef<HTMLDivElement>(null);
  const titleId = useId();
  // Closed while it is still on the page: a dialog that was taken away first gives the focus back to nothing.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would choose the button that closes.
    const field = element?.querySelector<HTMLElement>('input:not([type="file"]), textarea, select');
    (field ?? footerBox.current?.querySelector('button'))?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      className={classNames(
        'max-h-[min(85dvh,52rem)] w-[calc(100vw-2rem)] rounded-lg border border-line bg-raised p-0 text-ink shadow-xl',
        isWide ? 'max-w-3xl' : 'max-w-lg',
      )}
    >
      <div className="flex max-h-[min(85dvh,52rem)] flex-col">
        <div className="flex items-center justify-between gap-4 border-b border-line py-2 pr-2 pl-5">
          <h2 id={titleId} className="text-lg font-semibold">
            {title}
          </h2>
          <Button look="quiet" icon="cross" isIconOnly aria-label={closeLabel} onClick={onClose} />
        </div>
        <div className="min-h-0 overflow-y-auto px-5 py-4">{children}</div>
        {footer !== undefined && (
          <div ref={footerBox} className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">
            {footer}
          </div>
        )}
      </div>
    </dialog>
  );
}
