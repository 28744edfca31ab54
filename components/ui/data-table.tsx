import type { ReactNode, ThHTMLAttributes } from 'react';
import { classNames } from './class-names';

/** A table that scrolls sideways in its own box, so that the page never does. */
export function DataTable({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="overflow-x-auto">
      <table aria-label={label} className="w-full border-collapse text-left text-sm">
        {children}
      </table>
    </div>
  );
}

export function HeadCell({ className, ...rest }: ThHTMLAttributes<HTMLTableCellElement>) {
  return (
    <th
      scope="col"
      {...rest}
      className={classNames(
        'h-8 border-b border-line px-3 text-xs font-medium whitespace-nowrap text-muted',
        className,
      )}
    />
  );
}

/** Classes of a row and of its cells; plain elements keep their own attributes. */
export const ROW = 'border-b border-line last:border-b-0 hover:bg-hover';
export const CELL = 'h-10 px-3 py-1 align-middle';
