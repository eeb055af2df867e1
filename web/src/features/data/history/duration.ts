import type { TFunction } from 'i18next';
import { formatDuration } from '@/lib/format/duration';

const minute = 60_000;

/**
 * A duration in its two largest units, rounded to the minute from one minute on: 4 h 52 min, 2 d 3
 * h, 45 s.
 */
export function durationText(ms: number, t: TFunction): string {
  const unit = ms < minute ? 1000 : minute;
  return formatDuration(Math.round(ms / unit) * unit, t);
}
