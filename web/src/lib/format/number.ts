import { descriptors, type Language } from '@/lib/i18n/languages';

export const nbsp = '\u00a0';
/** Intl writes a hyphen, which is too far from a tabular number and which screen readers skip. */
export const minus = '\u2212';

/** More decimals would show floating-point errors; no sensor measures finer. */
const defaultDecimals = 6;
/** The limit for a number with a given precision. */
const maxDecimals = 12;
/** Larger numbers are written with an exponent. */
const maxPlainNumber = 1e15;

const formatters = new Map<string, Intl.NumberFormat>();

function formatter(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  let format = formatters.get(key);
  if (!format) {
    // A value that rounds to zero is 0.0, never -0.0.
    format = new Intl.NumberFormat(descriptors[language].intl, { signDisplay: 'negative', ...options });
    formatters.set(key, format);
  }
  return format;
}

const formatWith = (value: number, language: Language, options: Intl.NumberFormatOptions) =>
  formatter(language, options).format(value).replace('-', minus);

/** The signs by which a language groups thousands and begins decimals: 1,234.5. */
export function separators(language: Language): { group: string; decimal: string } {
  const parts = formatter(language, {}).formatToParts(12_345.6);
  const sign = (type: Intl.NumberFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  return { group: sign('group'), decimal: sign('decimal') };
}

/** Whether decimals begin with a comma. */
export const hasDecimalComma = (language: Language) => separators(language).decimal === ',';

/** With `decimals`, always that many; without, as many as the number has. */
export function formatNumber(value: number, language: Language, decimals?: number): string {
  if (Math.abs(value) >= maxPlainNumber)
    return formatWith(value, language, { notation: 'scientific', maximumFractionDigits: 5 });
  const kept = decimals === undefined ? undefined : Math.min(Math.max(decimals, 0), maxDecimals);
  return formatWith(value, language, {
    minimumFractionDigits: kept ?? 0,
    maximumFractionDigits: kept ?? defaultDecimals,
  });
}

/**
 * A fraction of one as a whole percentage. 100% and 0% appear only for exact values: 9,999 of
 * 10,000 is not all.
 */
export function formatPercent(share: number, language: Language): string {
  let percent = Math.round(share * 100);
  if (percent === 100 && share < 1) percent = 99;
  if (percent === 0 && share > 0) percent = 1;
  const digits = formatNumber(percent, language);
  const place = descriptors[language].percent;
  return place === 'first' ? `%${digits}` : `${digits}${place}%`;
}

/** Euros; with `round`, without cents. */
export function formatMoney(amount: number, language: Language, round = false): string {
  const cents = round ? 0 : 2;
  return formatWith(amount, language, {
    style: 'currency',
    currency: 'EUR',
    minimumFractionDigits: cents,
    maximumFractionDigits: cents,
  });
}

/** The decimals with which a number is shown in full: the usual ones, unless it has more. */
export function ownDecimals(value: number, usual: number | undefined): number | undefined {
  return usual !== undefined && Number(value.toFixed(usual)) === value ? usual : undefined;
}
