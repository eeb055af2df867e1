import type { Place } from '@/lib/map/place';

/** Decimals of a degree that are kept: about a decimetre. */
const decimals = 6;

/**
 * Degrees as a field shows them: with a decimal dot in every language and without trailing zeros.
 */
export function degreesText(degrees: number | undefined): string {
  return degrees === undefined ? '' : String(Number(degrees.toFixed(decimals)));
}

/**
 * Parses a field's degrees: null if it is empty, undefined if it is not a number. A comma counts as
 * decimal dot.
 */
export function parseDegrees(text: string): number | null | undefined {
  const plain = text.trim().replace('\u2212', '-');
  if (plain === '') return null;
  if (!/^[+-]?\d+([.,]\d*)?$/.test(plain)) return undefined;
  return Number(plain.replace(',', '.'));
}

/**
 * Parses two numbers that were pasted at once, as maps give them: 37.856912, 27.340887. Null for
 * anything else.
 */
export function parsePair(text: string): Place | null {
  const found = /^\s*([+-]?\d+(?:\.\d+)?)\s*(?:,\s*|;\s*|\s)\s*([+-]?\d+(?:\.\d+)?)\s*$/.exec(
    text.replaceAll('\u2212', '-'),
  );
  if (!found?.[1] || !found[2]) return null;
  // "37,856912" is one number with a decimal comma.
  if (!/[.;\s]/.test(text.trim())) return null;
  const place = { latitude: Number(found[1]), longitude: Number(found[2]) };
  return Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180 ? place : null;
}
