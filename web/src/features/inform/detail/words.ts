import type { TFunction } from 'i18next';
import { formatDayTime, startOfDay } from '@/lib/format/date';
import type { Format } from '@/lib/format/format';
import { localeTags } from '@/lib/format/number';

const secondMs = 1000;
const units = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', secondMs],
] as const;

/** How long an alarm lasted, down to the second: 21 min 59 s, 1 h 0 min 5 s. Minutes and seconds are always named. */
export function durationText(ms: number, format: Format, t: TFunction): string {
  let left = Math.max(0, ms);
  const words = units.flatMap(([unit, length]) => {
    const value = Math.floor(left / length);
    left -= value * length;
    if (value === 0 && length > 60_000) return [];
    if (unit === 'days') return daysText(value, format);
    return t(`format.age.${unit}`, { value });
  });
  return words.join(format.language === 'zh-cn' ? '' : ' ');
}

function daysText(value: number, { language }: Format): string {
  const style = { style: 'unit', unit: 'day', unitDisplay: 'short' } as const;
  return new Intl.NumberFormat(localeTags[language], style).format(value);
}

/** 05:52:10; with the day in front when it is not today's. */
export function momentText(time: number, now: number, format: Format): string {
  const seconds = String(Math.floor((time % 60_000) / secondMs)).padStart(2, '0');
  const clock = `${format.time(time)}:${seconds}`;
  return time >= startOfDay(now) ? clock : formatDayTime(format.day(time, now), clock, format.language);
}
