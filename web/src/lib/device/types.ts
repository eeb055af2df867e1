import type { components } from '@/api/schema.gen';

type Schemas = components['schemas'];

export type Overview = Schemas['Overview'];
export type Group = Schemas['Group'];
export type Device = Schemas['Device'];
export type DevicePage = Schemas['DevicePage'];
export type DeviceMap = Schemas['DeviceMap'];
export type MapMarker = Schemas['MapMarker'];
export type MapQuantity = Schemas['MapQuantity'];
export type MapCluster = Schemas['MapCluster'];
export type Latest = Schemas['Latest'];
export type Reading = Schemas['Reading'];
export type Series = Schemas['Series'];
export type SeriesPoint = Schemas['SeriesPoint'];
export type TslProperty = Schemas['TslProperty'];

/** A device's display name: its remark name, else its device name. */
export function nameOf(device: Pick<Device, 'noteName' | 'deviceName'>): string {
  return device.noteName || device.deviceName;
}

/** The reading that a list shows for a device; undefined when there is none. */
export function mainReading(device: Pick<Device, 'mainSign' | 'lastData'>): Reading | undefined {
  return device.mainSign ? device.lastData[0]?.[device.mainSign] : undefined;
}

/** Whether a camera has a picture to show; the provider configures its source. */
export function hasPicture({ type, videoKind }: Pick<Device, 'type' | 'videoKind'>): boolean {
  return type === 2 && videoKind !== undefined && videoKind !== 'none';
}
