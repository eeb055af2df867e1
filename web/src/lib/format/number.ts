import type { Language } from '@/lib/i18n';
import { forms, minus, nbsp } from './table';

export { minus, nbsp };

export const localeTags = Object.fromEntries(Object.entries(forms).map(([code, { tag }]) => [code, tag])) as Record<
  Language,
  string
>;

/** Floating point shows its tail beyond this; no sensor measures finer. */
const commonDecimals = 6;
/** Of a number with a given precision. */
const mostDecimals = 12;
/** Beyond, a number is written with an exponent. */
const longest = 1e15;

const made = new Map<string, Intl.NumberFormat>();

function formatter(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  let format = made.get(key);
  if (!format) {
    // What rounds to nothing is 0.0, never -0.0.
    format = new Intl.NumberFormat(localeTags[language], { signDisplay: 'negative', ...options });
    made.set(key, format);
  }
  return format;
}

const written = (value: number, language: Language, options: Intl.NumberFormatOptions) =>
  formatter(language, options).format(value).replace('-', minus);

/** With `decimals` always that many; without, as many as the number has. */
export function formatNumber(value: number, language: Language, decimals?: number): string {
  if (Math.abs(value) >= longest) return written(value, language, { notation: 'scientific', maximumFractionDigits: 5 });
  const kept = decimals === undefined ? undefined : Math.min(Math.max(decimals, 0), mostDecimals);
  return written(value, language, {
    minimumFractionDigits: kept ?? 0,
    maximumFractionDigits: kept ?? commonDecimals,
  });
}

/** A share of one as whole percent. 1 and 0 are said only when they are exact: 9,999 of 10,000 is not all. */
export function formatPercent(share: number, language: Language): string {
  let percent = Math.round(share * 100);
  if (percent === 100 && share < 1) percent = 99;
  if (percent === 0 && share > 0) percent = 1;
  const digits = formatNumber(percent, language);
  const place = forms[language].percent;
  return place === 'first' ? `%${digits}` : `${digits}${place}%`;
}

/** Euros; whole ones without cents where `round` is asked for. */
export function formatMoney(amount: number, language: Language, round = false): string {
  const cents = round ? 0 : 2;
  return written(amount, language, {
    style: 'currency',
    currency: 'EUR',
    minimumFractionDigits: cents,
    maximumFractionDigits: cents,
  });
}
