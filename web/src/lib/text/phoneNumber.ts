/** Plus or not, first digit 1 to 9, 2 to 15 digits: what the specification takes for an international number. */
const international = /^\+?[1-9]\d{1,14}$/;
const chinese = /^1[3-9]\d{9}$/;

/** People write numbers with blanks, dashes and brackets, and Chinese keyboards wide digits. */
export function normalizeNumber(typed: string): string {
  return typed.normalize('NFKC').replace(/[\s().\-‐‑–]/g, '');
}

export function isInternational(number: string): boolean {
  return international.test(number);
}

/** Whether the profile form takes a bound number: one without a plus is judged as a Chinese one. */
export function isBoundNumber(number: string): boolean {
  return number.startsWith('+') || chinese.test(number);
}

/** Enough of a number to know one's own by, not enough for who looks over the shoulder. */
export function maskNumber(number: string): string {
  const shown = { head: number.startsWith('+') ? 6 : 3, tail: 4 };
  if (number.length <= shown.head + shown.tail) return number;
  return `${number.slice(0, shown.head)} ··· ${number.slice(-shown.tail)}`;
}
