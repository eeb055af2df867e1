import type { Locale } from 'antd/lib/locale';
import type { components } from '@/api/schema.gen';

/** The languages of the contract; a language there without a descriptor here does not compile. */
export type Language = components['schemas']['Language'];

type Loaded<T> = Promise<{ default: T }>;

/**
 * Everything in which one language differs from others in the console, except its texts
 * (`src/locales`). Intl supplies separators in numbers, month names and plural forms; words beside
 * numbers (min, ago) are texts, `format.age`. The server has descriptors of its own,
 * `internal/platform/text/languages.go`; `internal/platform/text/testdata/formats.json` holds both
 * to the same formats.
 */
export interface LanguageDescriptor {
  /** The language's name in that language. */
  name: string;
  /** For `<html lang>` and `lang` attributes. */
  tag: string;
  /** For Intl. */
  intl: string;
  /** antd's own texts and dayjs' month names, fetched with the language. */
  antd: () => Loaded<Locale>;
  dayjs: { name: string; load: () => Promise<unknown> };

  /** `first`: the percent sign precedes the number; else the text between the number and the sign. */
  percent: 'first' | '' | '\u00a0';
  /** Day and time, in full. */
  moment: (day: string, clock: string) => string;
  /**
   * From a day's parts, two digits each except the year. Undefined: Intl's format with the month's
   * name.
   */
  day?: (year: string, month: string, day: string) => string;
  /** The separator between a day in words and a time. */
  comma: string;
  /** The first day of a week: 7 Sunday, 1 Monday. */
  weekStart: 1 | 7;
  /** Between the first and the last of consecutive days. */
  range: string;
  /** Between the items of a list. */
  list: string;
  /** Between two sentences. */
  sentence: string;
  /** The brackets around a zone's offset. */
  brackets: readonly [string, string];
  /** The format of date fields in dayjs's letters: antd would show 2026-11-21 in every language. */
  picker: string;
  /** The same for a day of any year. */
  pickerYearless: string;
  /** Parts of units that the language writes differently; others stay the same. */
  units?: Readonly<Record<string, string>>;
  /** A unit with a part that is not in `units` stays whole: a mix of scripts is unreadable. */
  unitsWhole?: boolean;
}

/** The first one is the default. */
export const descriptors: Readonly<Record<Language, LanguageDescriptor>> = {
  'en-us': {
    name: 'English',
    tag: 'en',
    intl: 'en-US',
    antd: () => import('antd/locale/en_US'),
    dayjs: { name: 'en', load: () => import('dayjs/locale/en') },
    percent: '',
    // The month is a word: 03/04 would be ambiguous.
    moment: (day, clock) => `${day}, ${clock}`,
    comma: ', ',
    weekStart: 7,
    range: '–',
    list: ', ',
    sentence: ' ',
    brackets: [' (', ')'],
    picker: 'MM/DD/YYYY',
    pickerYearless: 'MMM D',
  },
  'zh-cn': {
    name: '简体中文',
    tag: 'zh-CN',
    intl: 'zh-CN',
    antd: () => import('antd/locale/zh_CN'),
    dayjs: { name: 'zh-cn', load: () => import('dayjs/locale/zh-cn') },
    percent: '',
    moment: (day, clock) => `${day} ${clock}`,
    day: (year, month, day) => `${year}-${month}-${day}`,
    comma: '',
    weekStart: 1,
    range: '至',
    list: '、',
    sentence: '',
    brackets: ['（', '）'],
    picker: 'YYYY-MM-DD',
    pickerYearless: 'M月D日',
  },
  'tr-tr': {
    name: 'Türkçe',
    tag: 'tr',
    intl: 'tr-TR',
    antd: () => import('antd/locale/tr_TR'),
    dayjs: { name: 'tr', load: () => import('dayjs/locale/tr') },
    percent: 'first',
    moment: (day, clock) => `${day} ${clock}`,
    day: (year, month, day) => `${day}.${month}.${year}`,
    comma: ' ',
    weekStart: 1,
    range: '–',
    list: ', ',
    sentence: ' ',
    brackets: [' (', ')'],
    picker: 'DD.MM.YYYY',
    pickerYearless: 'D MMM',
    units: { s: 'sn', min: 'dk', h: 'sa', d: 'gün' },
  },
  'ru-ru': {
    name: 'Русский',
    tag: 'ru',
    intl: 'ru-RU',
    antd: () => import('antd/locale/ru_RU'),
    dayjs: { name: 'ru', load: () => import('dayjs/locale/ru') },
    percent: '\u00a0',
    moment: (day, clock) => `${day}, ${clock}`,
    day: (year, month, day) => `${day}.${month}.${year}`,
    comma: ', ',
    weekStart: 1,
    range: '–',
    list: ', ',
    sentence: ' ',
    brackets: [' (', ')'],
    picker: 'DD.MM.YYYY',
    pickerYearless: 'D MMM',
    unitsWhole: true,
    units: {
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
  },
};

/** The languages in the order of menus, the default first. */
export const languageCodes = Object.keys(descriptors) as Language[];
