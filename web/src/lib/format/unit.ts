import { descriptors, type Language } from '@/lib/i18n/languages';
import { nbsp } from './number';

/**
 * A unit as the language writes it.
 */
export function displayUnit(unit: string, language: Language): string {
  const { units: known, unitsWhole } = descriptors[language];
  if (!known) return unit;
  const pieces = unit.split(/([/·])/);
  const separator = (piece: string) => piece === '/' || piece === '·';
  if (unitsWhole && pieces.some((piece) => !separator(piece) && known[piece] === undefined)) return unit;
  return pieces.map((piece) => known[piece] ?? piece).join('');
}

/** Where a unit goes: before its number, or after it with or without a non-breaking space. */
export function unitPlace(unit: string, language: Language): 'first' | '' | typeof nbsp {
  if (unit === '%' || unit === '‰') return descriptors[language].percent;
  return unit === '°' ? '' : nbsp;
}

/**
 * The unit of a value that is shown beside its name; empty where the name contains it: "pH 7.67 pH"
 * would be redundant.
 */
export function unitBeside(name: string, unit: string, language: Language): string {
  return mentionsUnit(name, unit) || mentionsUnit(name, displayUnit(unit, language)) ? '' : unit;
}

/** A letter or a digit next to a word belongs to that word; a Chinese character does not. */
const needsSpace = (beside: string) => /[\p{L}\p{Nd}]/u.test(beside) && !/\p{Script=Han}/u.test(beside);

/**
 * Whether a name contains a unit as a word: true for "Water pH" and 水体pH值, false for "Wind at 2 m",
 * where it belongs to a number.
 */
function mentionsUnit(name: string, unit: string): boolean {
  if (unit === '') return false;
  for (let at = name.indexOf(unit); at >= 0; at = name.indexOf(unit, at + unit.length)) {
    const [before, after] = [name.slice(0, at), name.slice(at + unit.length)];
    const next = [...after][0] ?? '';
    // A single letter may be any word, unless it ends the name or is in brackets.
    const alone = unit.length > 1 || !/\p{L}/u.test(unit) || /^([)）\]]|$)/.test(after);
    if (alone && !needsSpace([...before].at(-1) ?? '') && !needsSpace(next) && !/\p{Nd}\s*$/u.test(before)) return true;
  }
  return false;
}
