/** Optional plus, first digit 1 to 9, 2 to 15 digits: the specification's international number. */
const international = /^\+?[1-9]\d{1,14}$/;
const chinese = /^1[3-9]\d{9}$/;

/** People write numbers with blanks, dashes and brackets; Chinese keyboards produce wide digits. */
export function normalizeNumber(typed: string): string {
  return typed.normalize('NFKC').replace(/[\s().\-‐‑–]/g, '');
}

export function isInternational(number: string): boolean {
  return international.test(number);
}

/** Whether the profile form accepts a bound number: one without a plus must be a Chinese one. */
export function isBoundNumber(number: string): boolean {
  return number.startsWith('+') || chinese.test(number);
}

/** Enough of a number to recognise one's own, not enough for an onlooker. */
export function maskNumber(number: string): string {
  const shown = { head: number.startsWith('+') ? 6 : 3, tail: 4 };
  if (number.length <= shown.head + shown.tail) return number;
  return `${number.slice(0, shown.head)} ··· ${number.slice(-shown.tail)}`;
}
