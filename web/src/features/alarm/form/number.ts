/** A number as it is typed: with a dot or a comma, with either minus. Undefined for what is none. */
export function parseNumber(text: string): number | undefined {
  const plain = plainOf(text);
  return /^-?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : undefined;
}

function plainOf(text: string): string {
  return text.trim().replace(',', '.').replace('\u2212', '-');
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
