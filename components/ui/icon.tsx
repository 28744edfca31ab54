import type { ReactNode } from 'react';

export type IconName =
  | 'arrow-left'
  | 'check'
  | 'chevron-down'
  | 'chevron-right'
  | 'clock'
  | 'copy'
  | 'cross'
  | 'download'
  | 'edit'
  | 'file'
  | 'info'
  | 'link'
  | 'moon'
  | 'plus'
  | 'refresh'
  | 'send'
  | 'sign-out'
  | 'sun'
  | 'theme'
  | 'trash'
  | 'warning';

const SHAPE: Record<IconName, ReactNode> = {
  'arrow-left': <path d="M13 8H3m4-4L3 8l4 4" />,
  check: <path d="m3 8.5 3.2 3.3L13 4.5" />,
  'chevron-down': <path d="m4 6 4 4 4-4" />,
  'chevron-right': <path d="m6 4 4 4-4 4" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.5V8l2.3 1.5" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
    </>
  ),
  cross: <path d="m4 4 8 8m0-8-8 8" />,
  download: <path d="M8 2.5v7.5m-3-3 3 3 3-3M3 13h10" />,
  edit: <path d="m3 13 .7-3L10.5 3.2a1.4 1.4 0 0 1 2 0l.3.3a1.4 1.4 0 0 1 0 2L6 12.3Z" />,
  file: <path d="M4 2.5h5L12.5 6v7.5H4Zm5 0V6h3.5" />,
  info: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.5v3.5M8 5v.1" />
    </>
  ),
  link: (
    <path d="M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2.2-2.2a2.5 2.5 0 0 0-3.6-3.6l-.7.7m1.5 2.1a2.5 2.5 0 0 0-3.6 0L3.7 8.7a2.5 2.5 0 0 0 3.6 3.6l.7-.7" />
  ),
  moon: <path d="M13 9.7A5.5 5.5 0 0 1 6.3 3a5.5 5.5 0 1 0 6.7 6.7Z" />,
  plus: <path d="M8 3v10M3 8h10" />,
  refresh: <path d="M13 8a5 5 0 1 1-1.5-3.6M13 2.5v2.4h-2.4" />,
  send: <path d="M2.5 8 13.5 3 9.8 13 7.8 8.9Zm5.3.9L13.5 3" />,
  'sign-out': <path d="M6.5 2.5H3v11h3.5M6.5 8H13m-2.5-2.5L13 8l-2.5 2.5" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.5v1.3m0 10.4v1.3M1.5 8h1.3m10.4 0h1.3M3.4 3.4l.9.9m7.4 7.4.9.9m0-9.2-.9.9m-7.4 7.4-.9.9" />
    </>
  ),
  theme: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5a5.5 5.5 0 0 1 0 11Z" fill="currentColor" />
    </>
  ),
  trash: <path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.5M9.2 7v3.5" />,
  warning: <path d="M8 2.5 14 13H2Zm0 4v3m0 1.7v.1" />,
};

/** Decoration: the word beside it carries the meaning. */
export function Icon({ name, className }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={className === undefined ? 'shrink-0' : `shrink-0 ${className}`}
    >
      {SHAPE[name]}
    </svg>
  );
}
