import type { Language } from '@/lib/i18n/i18n';
import { localeConventions, nbsp } from './localeConventions';

/** The parts of units that are written otherwise in a language; what is not here is written alike. */
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

/** A unit as people of the language write it. In Russian one with an unknown part stays whole: half Latin, half Cyrillic reads as neither. */
export function displayUnit(unit: string, language: Language): string {
  const known = unitTranslations[language];
  if (!known) return unit;
  const pieces = unit.split(/([/·])/);
  const separator = (piece: string) => piece === '/' || piece === '·';
  if (language === 'ru-ru' && pieces.some((piece) => !separator(piece) && known[piece] === undefined)) return unit;
  return pieces.map((piece) => known[piece] ?? piece).join('');
}

/** How a unit stands to its number: before it, or behind it with or without a space that does not break. */
export function unitPlace(unit: string, language: Language): 'first' | '' | typeof nbsp {
  if (unit === '%' || unit === '‰') return localeConventions[language].percent;
  return unit === '°' ? '' : nbsp;
}

/** The unit of a value that stands beside its name: none where the name says it, since nobody says pH 7.67 pH. */
export function unitBeside(name: string, unit: string, language: Language): string {
  return mentionsUnit(name, unit) || mentionsUnit(name, displayUnit(unit, language)) ? '' : unit;
}

/** A letter or a figure beside a word is a part of it, as a Chinese one is not. */
const needsSpace = (beside: string) => /[\p{L}\p{Nd}]/u.test(beside) && !/\p{Script=Han}/u.test(beside);

/** Whether a unit is one of a name's words: in "Water pH" and 水体pH值, and not in "Wind at 2 m", where it belongs to a number. */
function mentionsUnit(name: string, unit: string): boolean {
  if (unit === '') return false;
  for (let at = name.indexOf(unit); at >= 0; at = name.indexOf(unit, at + unit.length)) {
    const [before, after] = [name.slice(0, at), name.slice(at + unit.length)];
    const next = [...after][0] ?? '';
    // A letter alone may be any word, unless it ends the name or is in brackets.
    const alone = unit.length > 1 || !/\p{L}/u.test(unit) || /^([)）\]]|$)/.test(after);
    if (alone && !needsSpace([...before].at(-1) ?? '') && !needsSpace(next) && !/\p{Nd}\s*$/u.test(before)) return true;
  }
  return false;
}
