import type { Metadata } from 'next';
import { DevicePage } from '@/components/fleet/device-page';

type DeviceProps = { readonly params: Promise<{ readonly deviceId: string }> };

export async function generateMetadata({ params }: DeviceProps): Promise<Metadata> {
  return { title: (await params).deviceId };
}

export default async function Device({ params }: DeviceProps) {
  return <DevicePage deviceId={(await params).deviceId} />;
}
