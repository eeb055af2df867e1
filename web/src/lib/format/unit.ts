import type { Language } from '@/lib/i18n';

/** The parts of units that are written otherwise in a language; what is not here is written alike. */
const parts: Partial<Record<Language, Record<string, string>>> = {
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

/** Turkish writes percent before its number, without a space. */
export function standsFirst(unit: string, language: Language): boolean {
  return language === 'tr-tr' && (unit === '%' || unit === '‰');
}

/** A unit as people of the language write it. In Russian one with an unknown part stays whole: half Latin, half Cyrillic reads as neither. */
export function displayUnit(unit: string, language: Language): string {
  const known = parts[language];
  if (!known) return unit;
  const pieces = unit.split(/([/·])/);
  const separator = (piece: string) => piece === '/' || piece === '·';
  if (language === 'ru-ru' && pieces.some((piece) => !separator(piece) && known[piece] === undefined)) return unit;
  return pieces.map((piece) => known[piece] ?? piece).join('');
}
