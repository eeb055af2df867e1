import type { components } from '@/api/schema.gen';

type Schemas = components['schemas'];

export type Overview = Schemas['Overview'];
export type Group = Schemas['Group'];
export type Device = Schemas['Device'];
export type DevicePage = Schemas['DevicePage'];
export type DeviceMap = Schemas['DeviceMap'];
export type MapMarker = Schemas['MapMarker'];
export type MapCluster = Schemas['MapCluster'];
export type Latest = Schemas['Latest'];
export type Reading = Schemas['Reading'];
export type Series = Schemas['Series'];
export type SeriesPoint = Schemas['SeriesPoint'];
export type TslProperty = Schemas['TslProperty'];

/** What people call a device: its remark name, else its fixed one. */
export function nameOf(device: Pick<Device, 'noteName' | 'deviceName'>): string {
  return device.noteName || device.deviceName;
}

/** The reading that a list shows of a device; undefined when there is none. */
export function mainReading(device: Pick<Device, 'mainSign' | 'lastData'>): Reading | undefined {
  return device.mainSign ? device.lastData[0]?.[device.mainSign] : undefined;
}

/** Whether a camera has a picture to show; where that comes from is set by the provider. */
export function hasPicture({ type, videoKind }: Pick<Device, 'type' | 'videoKind'>): boolean {
  return type === 2 && videoKind !== undefined && videoKind !== 'none';
}

/** What a mark shows: a pending alarm before presence, because somebody must look. */
export type MarkState = 'online' | 'offline' | 'alarm';

export function markOf(device: Pick<Device, 'onlineState' | 'alarmLevel'>): MarkState {
  if (device.alarmLevel !== undefined) return 'alarm';
  return device.onlineState === 1 ? 'online' : 'offline';
}
