import type { ReactNode, ThHTMLAttributes } from 'react';
import { classNames } from './class-names';

/**
 * A table that scrolls sideways in its own box, so that the page never does. On a phone its rows are cards: each row is a grid
 * (`ROW`) in which the page gives every cell its place.
 */
export function DataTable({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="overflow-x-auto">
      <table
        aria-label={label}
        className="w-full border-collapse text-left text-sm max-sm:block max-sm:[&>tbody]:block max-sm:[&>thead]:block"
      >
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
export const ROW =
  'border-b border-line last:border-b-0 hover:bg-hover max-sm:grid max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-1.5 max-sm:px-3 max-sm:py-3';
export const CELL = 'h-10 px-3 py-1 align-middle max-sm:h-auto max-sm:p-0';
/** On a phone a cell that is a line of its own. */
export const WHOLE_LINE = 'max-sm:col-span-full';
