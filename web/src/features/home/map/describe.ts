import type { TFunction } from 'i18next';
import { type MapQuantity, nameOf } from '@/lib/device/types';
import type { Format } from '@/lib/format/format';
import { type Feature, inAlarm, presenceOf } from './clusters';

/**
 * A mark in words: "Orchard mast, Online, with a pending alarm" or "22 devices, 20 online, 1 with a
 * pending alarm".
 */
export function describer(t: TFunction, format: Format, quantity?: MapQuantity): (feature: Feature) => string {
  return (feature) => {
    if (feature.kind === 'device') {
      const state = t(`home.state.${presenceOf(feature)}`);
      const own = t('home.map.device', { name: nameOf(feature.marker), state });
      const words = inAlarm(feature) ? t('home.map.deviceAlarm', { words: own }) : own;
      const { reading } = feature.marker;
      if (!reading || !quantity) return words;
      const value = format.pieces({ value: reading.value, unit: quantity.unit, precision: quantity.precision });
      return t('home.map.devicesValue', { words, value: value.map(({ text }) => text).join('') });
    }
    const { count, online, alarms } = feature;
    const words = t('home.map.cluster', { count, n: format.number(count), online: format.number(online) });
    return alarms === 0 ? words : t('home.map.clusterAlarms', { words, alarms: format.number(alarms) });
  };
}
