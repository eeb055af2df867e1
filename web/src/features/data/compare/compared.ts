import { createContext } from 'react';
import type { Device } from '@/lib/device/types';

/** As many devices as the analysis page takes. */
export const maxCompared = 6;

/** A device that is chosen for a comparison. */
export type Compared = Pick<Device, 'deviceName' | 'noteName' | 'mainSign'>;

/** The devices that are chosen for a comparison, in the order of the choice. */
export const ComparedDevices = createContext<{
  devices: readonly Compared[];
  toggle: (device: Compared) => void;
}>({ devices: [], toggle: () => undefined });

/** The list with the device, or without it if it is in it; the same list if it is full. */
export function toggled(devices: readonly Compared[], device: Compared): readonly Compared[] {
  const { deviceName, noteName, mainSign } = device;
  const others = devices.filter((other) => other.deviceName !== deviceName);
  if (others.length < devices.length) return others;
  return devices.length >= maxCompared ? devices : [...devices, { deviceName, noteName, mainSign }];
}

/** The main properties of the devices, each once. */
export function signsOf(devices: readonly Compared[]): string[] {
  return [...new Set(devices.map(({ mainSign }) => mainSign).filter(Boolean))];
}
