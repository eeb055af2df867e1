import type { TFunction } from 'i18next';
import type { Format } from '@/lib/format/format';
import { depthOf } from '../data/attributes';
import type { Column } from '../data/column';
import type { Panel } from './panels';

/** What a line is called where others stand beside it: only what tells it from them. */
export function lineName(column: Column, all: readonly Column[], t: TFunction): string {
  if (column.compared) return t('analysis.lastYear');
  const others = all.filter(({ compared }) => !compared);
  const devices = new Set(others.map(({ deviceName }) => deviceName)).size > 1;
  const signs = new Set(others.map(({ sign }) => sign)).size > 1;
  if (devices && signs) return t('analysis.lineOf', { device: column.device, name: column.name });
  return devices ? column.device : column.name;
}

/** What a line is called on its own. */
export function fullName({ device, name, compared }: Column, t: TFunction): string {
  const own = t('analysis.lineOf', { device, name });
  return compared ? t('analysis.ofLastYear', { name: own }) : own;
}

/** 10 cm: how deep a plot's soil is; null for a plot of no depth. */
export function depthName({ kind, columns }: Panel, format: Format): string | null {
  const depth = kind === 'depth' ? depthOf(columns[0]?.sign ?? '')?.depth : undefined;
  return depth === undefined ? null : format.reading({ value: depth, unit: 'cm', precision: 0 });
}
