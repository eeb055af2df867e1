import type { TFunction } from 'i18next';
import type { Language } from '@/lib/i18n';
import { localeTags } from './number';

const units = [
  { name: 'days', ms: 86_400_000 },
  { name: 'hours', ms: 3_600_000 },
  { name: 'minutes', ms: 60_000 },
  { name: 'seconds', ms: 1000 },
] as const;

/** How long something lasted, in its largest unit and the next below: 3 days 4 h, 12 min 5 s. */
export function formatDuration(ms: number, language: Language, t: TFunction): string {
  const first = units.findIndex((unit) => ms >= unit.ms);
  if (first < 0) return t('format.age.seconds', { value: 0 });
  let left = ms;
  const words = units.slice(first, first + 2).flatMap((unit) => {
    const value = Math.floor(left / unit.ms);
    left -= value * unit.ms;
    if (value === 0) return [];
    return unit.name === 'days' ? days(value, language) : t(`format.age.${unit.name}`, { value });
  });
  return words.join(language === 'zh-cn' ? '' : ' ');
}

function days(value: number, language: Language): string {
  const style = { style: 'unit', unit: 'day', unitDisplay: 'short' } as const;
  return new Intl.NumberFormat(localeTags[language], style).format(value);
}
