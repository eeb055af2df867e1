import type { Language } from '@/lib/i18n/i18n';
import { localeConventions, nbsp } from './localeConventions';

/** Parts of units that a language writes differently; parts that are not listed stay the same. */
export const unitTranslations: Partial<Record<Language, Record<string, string>>> = {
  'ru-ru': {
    mm: 'мм',
    cm: 'см',
    m: 'м',
    km: 'км',
    'm²': 'м²',
    'm³': 'м³',
    ha: 'га',
    ms: 'мс',
    s: 'с',
    min: 'мин',
    h: 'ч',
    d: 'сут',
    g: 'г',
    kg: 'кг',
    mg: 'мг',
    µg: 'мкг',
    t: 'т',
    L: 'л',
    l: 'л',
    mL: 'мл',
    mol: 'моль',
    µmol: 'мкмоль',
    Pa: 'Па',
    hPa: 'гПа',
    kPa: 'кПа',
    bar: 'бар',
    mbar: 'мбар',
    W: 'Вт',
    kW: 'кВт',
    Wh: 'Вт·ч',
    kWh: 'кВт·ч',
    J: 'Дж',
    MJ: 'МДж',
    V: 'В',
    mV: 'мВ',
    A: 'А',
    mA: 'мА',
    Hz: 'Гц',
    mS: 'мСм',
    dS: 'дСм',
    µS: 'мкСм',
    lx: 'лк',
    klx: 'клк',
    dB: 'дБ',
    dBm: 'дБм',
    '°C': '°C',
    '%': '%',
    '°': '°',
  },
  'tr-tr': { s: 'sn', min: 'dk', h: 'sa', d: 'gün' },
};

/**
 * A unit as the language writes it. A Russian unit with an unknown part stays whole: a mix of Latin
 * and Cyrillic is unreadable.
 */
export function displayUnit(unit: string, language: Language): string {
  const known = unitTranslations[language];
  if (!known) return unit;
  const pieces = unit.split(/([/·])/);
  const separator = (piece: string) => piece === '/' || piece === '·';
  if (language === 'ru-ru' && pieces.some((piece) => !separator(piece) && known[piece] === undefined)) return unit;
  return pieces.map((piece) => known[piece] ?? piece).join('');
}

/** Where a unit goes: before its number, or after it with or without a non-breaking space. */
export function unitPlace(unit: string, language: Language): 'first' | '' | typeof nbsp {
  if (unit === '%' || unit === '‰') return localeConventions[language].percent;
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
