import type { Metadata } from 'next';
import { DevicesPage } from '@/components/fleet/devices-page';
import { text } from '@/components/text/catalogue';

export const metadata: Metadata = { title: text.fleet.title };

export default function Devices() {
  return <DevicesPage />;
}
