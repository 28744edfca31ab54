import './state.css';
import type { DeviceReach } from '@/lib/store/selectors/run-view';

/** A disc, a ring, a ring with a slash: told apart without colour. The word is in the title of what it stands in. */
export function DeviceReachDot({ reach }: { readonly reach: DeviceReach }) {
  if (reach === 'unnamed') return null;
  return (
    <svg className="reach-dot" data-reach={reach} viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      {reach === 'online' ? <circle cx="5" cy="5" r="4" fill="currentColor" /> : null}
      {reach === 'online' ? null : <circle cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" strokeWidth="1.5" />}
      {reach === 'offline' || reach === 'unknown' ? (
        <path d="M1 9 9 1" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
      ) : null}
    </svg>
  );
}
