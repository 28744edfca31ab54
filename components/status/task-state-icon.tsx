import './state.css';
import type { ReactNode } from 'react';
import type { DisplayState } from '@/lib/run/display-state';

/** One shape per state, drawn on 16 x 16 in the current colour. The word always stands beside it, so it has no name. */
const SHAPE: Record<DisplayState, ReactNode> = {
  pending: (
    <circle cx="8" cy="8" r="6" fill="none" strokeWidth="1.75" strokeDasharray="0.01 3.13" strokeLinecap="round" />
  ),
  waiting: (
    <path
      d="M4.5 2h7M4.5 14h7M5 2v2.2c0 1.6 3 2.6 3 3.8s-3 2.2-3 3.8V14M11 2v2.2c0 1.6-3 2.6-3 3.8s3 2.2 3 3.8V14"
      fill="none"
      strokeWidth="1.5"
      strokeLinecap="round"
    />
  ),
  dispatching: (
    <path d="M1.8 7.6 14 2.2 10 13.8 7.4 9Zm5.6 1.4L14 2.2" fill="none" strokeWidth="1.5" strokeLinejoin="round" />
  ),
  running: (
    <>
      <circle cx="8" cy="8" r="3" stroke="none" fill="currentColor" />
      <path
        className="state-icon-arc"
        d="M8 1.5A6.5 6.5 0 0 1 14.5 8"
        fill="none"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </>
  ),
  completed: (
    <>
      <circle cx="8" cy="8" r="7" stroke="none" fill="currentColor" />
      <path
        className="state-icon-cut"
        d="m4.7 8.3 2.2 2.3 4.4-4.9"
        fill="none"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </>
  ),
  failed: (
    <>
      <circle cx="8" cy="8" r="7" stroke="none" fill="currentColor" />
      <path
        className="state-icon-cut"
        d="m5.3 5.3 5.4 5.4m0-5.4-5.4 5.4"
        fill="none"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </>
  ),
  'timed-out': (
    <>
      <circle cx="8" cy="8" r="6.2" fill="none" strokeWidth="1.75" />
      <path d="M8 4.4V8l2.4 1.6" fill="none" strokeWidth="1.75" strokeLinecap="round" />
    </>
  ),
  cancelling: (
    <rect x="2.5" y="2.5" width="11" height="11" rx="1.5" fill="none" strokeWidth="1.75" strokeDasharray="3 2.2" />
  ),
  cancelled: <rect x="2.5" y="2.5" width="11" height="11" rx="1.5" fill="none" strokeWidth="1.75" />,
  skipped: (
    <path
      d="M2 10.5C3 5.8 10.2 4.2 13 8.8M13.4 4.8v4.4H9M3 14h1.5m2 0h3m2 0H13"
      fill="none"
      strokeWidth="1.5"
      strokeLinecap="round"
    />
  ),
  unknown: (
    <>
      <circle cx="8" cy="8" r="6.2" fill="none" strokeWidth="1.5" strokeDasharray="2.6 1.6" />
      <path
        d="M6.2 6.3c.2-2.4 3.8-2.3 3.6 0C9.7 7.6 8 7.5 8 9m0 2.1v.2"
        fill="none"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
    </>
  ),
};

export function TaskStateIcon({ state }: { readonly state: DisplayState }) {
  return (
    <svg className="state-icon" viewBox="0 0 16 16" width="16" height="16" stroke="currentColor" aria-hidden="true">
      {SHAPE[state]}
    </svg>
  );
}
