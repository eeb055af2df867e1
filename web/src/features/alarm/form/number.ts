import { currentLanguage, type Language } from '@/lib/i18n/i18n';

/** What stands between thousands, where it is a sign that others set decimals off by. */
const thousandsSeparators: Record<Language, RegExp | null> = {
  'en-us': /^[-\u2212]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/,
  'zh-cn': /^[-\u2212]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/,
  'tr-tr': /^[-\u2212]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$/,
  'ru-ru': null,
};

/**
 * A number as it is typed: with a dot or a comma, with either minus, with spaces between thousands. Undefined for what is none, or may
 * be two: 50,000 is fifty to some and fifty thousand to others.
 */
export function parseNumber(text: string): number | undefined {
  const plain = plainOf(text);
  return /^-?(\d+\.?\d*|\.\d+)$/.test(plain) && !isGrouped(text) ? Number(plain) : undefined;
}

/** Whether somebody wrote the language's own sign between thousands. */
export function isGrouped(text: string): boolean {
  return thousandsSeparators[currentLanguage()]?.test(text.trim()) ?? false;
}

function plainOf(text: string): string {
  const plain = text.trim().replace(',', '.').replace('\u2212', '-');
  // A space sets no decimals off; as a language writes it, it does not break.
  return /^-?\d{1,3}([ \u00a0\u202f]\d{3})+(\.\d*)?$/.test(plain) ? plain.replace(/[ \u00a0\u202f]/g, '') : plain;
}

/** How many decimals were typed, zeros at the end not counted: 2.50 is as fine as 2.5. */
export function decimalsOf(text: string): number {
  return (plainOf(text).split('.')[1] ?? '').replace(/0+$/, '').length;
}

/** A number as a field shows it: ungrouped, never with an exponent. */
export function numberText(value: number, comma: boolean): string {
  const text = String(value);
  const plain = text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
  return comma ? plain.replace('.', ',') : plain;
}
