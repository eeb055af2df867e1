import i18next, { type TFunction } from 'i18next';
import type { components } from '@/api/schema.gen';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { ageOf } from './age';
import { formatDay, formatNear, formatTime, formatZoned } from './date';
import { formatDuration, formatHours, formatInterval, formatSpan } from './duration';
import { formatNumber, formatPercent, minus } from './number';
import { displayUnit, unitBeside, unitPlace } from './unit';
import { formatWeekdays } from './weekday';

type Reading = Pick<components['schemas']['Reading'], 'value' | 'unit' | 'precision'>;

/** Shown in place of a missing value, never 0. */
export const missingValue = '–';

/** Includes the necessary space, which does not break. */
export interface Piece {
  kind: 'value' | 'unit';
  text: string;
}

/** Numbers, readings, times and places in the words of one language. */
export interface Format {
  language: Language;
  number: (value: number, decimals?: number) => string;
  /** A fraction of one, as a percentage. */
  percent: (share: number) => string;
  /** The unit as the language writes it; empty where the name that it stands beside contains it. */
  unit: (unit: string, beside?: string) => string;
  /**
   * The pieces of a reading, in order: the unit has another size than the value. If the property's
   * name `beside` it already contains the unit, the unit is omitted.
   */
  pieces: (reading: Reading | undefined, beside?: string) => Piece[];
  /** A reading as one text in which no line breaks. */
  reading: (reading: Reading | undefined, beside?: string) => string;
  /** 8 s, 2 min, 3 h, Yesterday, Nov 19: standing alone. */
  age: (time: number, now: number) => string;
  /** 8 s ago, yesterday, Nov 19: within a sentence. */
  ago: (time: number, now: number) => string;
  /** 05:40. */
  time: (time: number) => string;
  /** Nov 19; with the year when it is not this one. */
  day: (time: number, now: number) => string;
  /** 05:40, or with the day in front when it is not today's. */
  moment: (time: number, now: number, to?: 'seconds') => string;
  /** Mon–Fri; weekdays are 1 Monday to 7 Sunday. */
  weekdays: (days: readonly number[]) => string;
  /** Ada, Bora, Cem: items beside each other. */
  list: (items: readonly string[]) => string;
  /** Sentences after each other; empty ones are left out. */
  sentences: (sentences: readonly (string | null)[]) => string;
  /** With a capital first letter, for words that stand alone. */
  capital: (text: string) => string;
  /** 3 d 4 h: a duration in its largest unit and the next below. */
  duration: (ms: number) => string;
  /** 10 min for 9 min 59 s: how often something usually happens. */
  interval: (ms: number) => string;
  /** 31 h 20 min: a duration in hours and minutes. */
  hours: (ms: number) => string;
  /** 1 h 0 min 5 s: down to the second. */
  lasting: (ms: number) => string;
  /** 1.4 s, 12 s: how long an answer took, with tenths of a second below ten. */
  took: (ms: number) => string;
  /** In full, with the zone. */
  absolute: (time: number) => string;
  latitude: (degrees: number, decimals: number) => string;
  longitude: (degrees: number, decimals: number) => string;
  /** To about ten metres. */
  position: (latitude: number, longitude: number) => string;
  /** In metres. */
  distance: (metres: number) => string;
}

function createFormat(language: Language): Format {
  const t: TFunction = i18next.getFixedT(language);
  const number = (value: number, decimals?: number) => formatNumber(value, language, decimals);

  const alone = (text: string): Piece[] => [{ kind: 'value', text }];

  function pieces(reading: Reading | undefined, beside?: string): Piece[] {
    if (!reading) return alone(missingValue);
    const { value, unit, precision } = reading;
    if (typeof value === 'boolean') return alone(t(value ? 'format.on' : 'format.off'));
    if (typeof value === 'string') return alone(value === '' ? missingValue : value);
    return measured(value, precision, beside === undefined ? unit : unitBeside(beside, unit, language));
  }

  function measured(value: number, decimals: number | undefined, unit: string): Piece[] {
    const text = number(value, decimals);
    if (unit === '') return alone(text);
    const place = unitPlace(unit, language);
    if (place !== 'first') return [...alone(text), { kind: 'unit', text: `${place}${displayUnit(unit, language)}` }];
    // The sign precedes both: −%5.
    const sign = text.startsWith(minus) ? alone(minus) : [];
    return [...sign, { kind: 'unit', text: unit }, ...alone(text.slice(sign.length))];
  }

  const joined = (list: readonly Piece[]) => list.map(({ text }) => text).join('');

  function ageText(time: number, now: number, alone: boolean): string {
    const age = ageOf(time, now);
    switch (age.kind) {
      case 'now':
        return t('format.age.now');
      case 'yesterday':
        return t(alone ? 'format.age.yesterday' : 'format.age.yesterdayWithin');
      case 'date':
        return formatDay(time, now, language);
      default: {
        const span = t(`format.age.${age.kind}`, { value: age.count });
        return alone ? span : t('format.age.ago', { span });
      }
    }
  }

  // Coordinates have decimal points in every language, like those that people copy from elsewhere.
  const latitude = (degrees: number, decimals: number) =>
    t(degrees < 0 ? 'format.south' : 'format.north', { value: Math.abs(degrees).toFixed(decimals) });
  const longitude = (degrees: number, decimals: number) =>
    t(degrees < 0 ? 'format.west' : 'format.east', { value: Math.abs(degrees).toFixed(decimals) });

  return {
    language,
    number,
    percent: (share) => formatPercent(share, language),
    unit: (unit, beside) => displayUnit(beside === undefined ? unit : unitBeside(beside, unit, language), language),
    pieces,
    reading: (reading, beside) => joined(pieces(reading, beside)),
    age: (time, now) => ageText(time, now, true),
    ago: (time, now) => ageText(time, now, false),
    time: formatTime,
    day: (time, now) => formatDay(time, now, language),
    moment: (time, now, to) => formatNear(time, now, language, to),
    weekdays: (days) => formatWeekdays(days, language),
    list: (items) => items.join(descriptors[language].list),
    sentences: (sentences) => sentences.filter(Boolean).join(descriptors[language].sentence),
    capital: (text) => text.charAt(0).toLocaleUpperCase(descriptors[language].intl) + text.slice(1),
    duration: (ms) => formatDuration(ms, t),
    interval: (ms) => formatInterval(ms, t),
    hours: (ms) => formatHours(ms, t),
    lasting: (ms) => formatSpan(ms, t),
    took: (ms) => t('format.age.seconds', { value: number(ms / 1000, ms < 10_000 ? 1 : 0) }),
    absolute: (time) => formatZoned(time, language),
    latitude,
    longitude,
    position: (lat, lng) => `${latitude(lat, 4)}, ${longitude(lng, 4)}`,
    distance: (metres) =>
      joined(metres < 1000 ? measured(metres, undefined, 'm') : measured(metres / 1000, undefined, 'km')),
  };
}

const formats = new Map<Language, Format>();

/**
 * The language's texts must have been loaded. A component uses useFormat, which follows the
 * language.
 */
export function formatFor(language: Language): Format {
  let format = formats.get(language);
  if (!format) {
    format = createFormat(language);
    formats.set(language, format);
  }
  return format;
}

export function useFormat(): Format {
  return formatFor(useLanguage((state) => state.language));
}
