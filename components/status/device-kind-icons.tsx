import type { ReactNode } from 'react';
import { type DeviceKind, deviceKindOf } from '@/lib/fleet/device-kinds';

/** Shapes of the machines, not trade marks: a screen with a stand, a terminal, a phone. */
const SHAPE: Record<DeviceKind, ReactNode> = {
  windows: <path d="M2.5 3.8 7 3.2v4.3H2.5Zm6-.8 5-.7v5.2h-5ZM2.5 8.5H7v4.3l-4.5-.6Zm6 0h5v5.2l-5-.7Z" />,
  linux: (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.5" />
      <path d="m4.5 6.2 2 1.8-2 1.8M8 10h3.5" />
    </>
  ),
  macos: (
    <>
      <rect x="3" y="3" width="10" height="7" rx="1" />
      <path d="M1.5 12.5h13" />
    </>
  ),
  android: (
    <>
      <rect x="4.5" y="1.5" width="7" height="13" rx="1.5" />
      <path d="M7 12.5h2" />
    </>
  ),
  ios: (
    <>
      <rect x="4.5" y="1.5" width="7" height="13" rx="2" />
      <path d="M7 3.2h2" />
    </>
  ),
  web: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M2 8h12M8 2c2.2 1.7 2.2 10.3 0 12M8 2c-2.2 1.7-2.2 10.3 0 12" />
    </>
  ),
  unknown: (
    <>
      <rect x="2" y="3" width="12" height="8" rx="1.5" />
      <path d="M5.5 13.5h5" />
    </>
  ),
};

/** Decoration beside the name of a device or its system. */
export function DeviceKindIcon({ os }: { readonly os: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.25"
      strokeLinejoin="round"
      strokeLinecap="round"
      className="shrink-0"
    >
      {SHAPE[deviceKindOf(os)]}
    </svg>
  );
}
