import type { TFunction } from 'i18next';

const minute = 60_000;

/** A length of time in its two largest parts: 4 h 52 min, 2 d 3 h, 45 s. */
export function durationText(ms: number, t: TFunction): string {
  if (ms < minute) return t('format.age.seconds', { value: Math.round(ms / 1000) });
  const minutes = Math.round(ms / minute);
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  const parts = [
    days > 0 ? t('history.days', { value: days }) : '',
    hours > 0 ? t('format.age.hours', { value: hours }) : '',
    days === 0 && minutes % 60 > 0 ? t('format.age.minutes', { value: minutes % 60 }) : '',
  ];
  return parts.filter(Boolean).join(' ');
}
