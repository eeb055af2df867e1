import type { Language } from '@/lib/i18n';

export const localeTags: Record<Language, string> = {
  'en-us': 'en-US',
  'zh-cn': 'zh-CN',
  'tr-tr': 'tr-TR',
  'ru-ru': 'ru-RU',
};

export const nbsp = '\u00a0';
/** Intl writes a hyphen, which among tabular figures stands far off its number and which screen readers pass over. */
export const minus = '\u2212';

/** Floating point shows its tail beyond this; no sensor measures finer. */
const mostDecimals = 6;

const made = new Map<string, Intl.NumberFormat>();

function formatter(language: Language, decimals: number | undefined): Intl.NumberFormat {
  const key = `${language} ${decimals ?? ''}`;
  let format = made.get(key);
  if (!format) {
    format = new Intl.NumberFormat(localeTags[language], {
      minimumFractionDigits: decimals ?? 0,
      maximumFractionDigits: decimals ?? mostDecimals,
      // What rounds to nothing is 0.0, never -0.0.
      signDisplay: 'negative',
    });
    made.set(key, format);
  }
  return format;
}

/** With `decimals` always that many; without, as many as the number has. */
export function formatNumber(value: number, language: Language, decimals?: number): string {
  const text = formatter(language, decimals === undefined ? undefined : Math.min(decimals, 20)).format(value);
  return text.replace('-', minus);
}

/** A share of one as whole percent. 1 and 0 are said only when they are exact: 9,999 of 10,000 is not all. */
export function formatPercent(share: number, language: Language): string {
  let percent = Math.round(share * 100);
  if (percent === 100 && share < 1) percent = 99;
  if (percent === 0 && share > 0) percent = 1;
  const digits = formatNumber(percent, language);
  if (language === 'tr-tr') return `%${digits}`;
  return language === 'zh-cn' ? `${digits}%` : `${digits}${nbsp}%`;
}
