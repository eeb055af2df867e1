import { currentLanguage, type Language } from '@/lib/i18n/i18n';
import { hasDecimalComma, separators } from './number';

/**
 * Matches numbers that are grouped by a sign which other languages use as decimal separator; null if
 * the language groups by spaces.
 */
function groupedNumber(language: Language): RegExp | null {
  const { group, decimal } = separators(language);
  if (!/[.,]/.test(group)) return null;
  return new RegExp(`^[-\\u2212]?[1-9]\\d{0,2}(\\${group}\\d{3})+(\\${decimal}\\d*)?$`);
}

/**
 * Parses a number as it is typed: with a dot or a comma, with either minus sign, with spaces
 * between thousands. Undefined if the text is not a number or is ambiguous: 50,000 means fifty in
 * some languages and fifty thousand in others.
 */
export function parseNumber(text: string): number | undefined {
  const plain = plainOf(text);
  return /^-?(\d+\.?\d*|\.\d+)$/.test(plain) && !isGrouped(text) ? Number(plain) : undefined;
}

/** Whether the text contains the language's own thousands separator. */
export function isGrouped(text: string): boolean {
  return groupedNumber(currentLanguage())?.test(text.trim()) ?? false;
}

function plainOf(text: string): string {
  const plain = text.trim().replace(',', '.').replace('\u2212', '-');
  // A space never separates decimals. Languages group by non-breaking spaces.
  return /^-?\d{1,3}([ \u00a0\u202f]\d{3})+(\.\d*)?$/.test(plain) ? plain.replace(/[ \u00a0\u202f]/g, '') : plain;
}

/** How many decimals were typed, without trailing zeros: 2.50 is as precise as 2.5. */
export function decimalsOf(text: string): number {
  return (plainOf(text).split('.')[1] ?? '').replace(/0+$/, '').length;
}

/** A number as a field shows it: ungrouped and never with an exponent. */
export function numberText(value: number, language: Language): string {
  const text = String(value);
  const plain = text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
  return hasDecimalComma(language) ? plain.replace('.', ',') : plain;
}
