import i18next, { type TFunction } from 'i18next';
import type { components } from '@/api/schema.gen';
import { type Language, useLanguage } from '@/lib/i18n';
import { ageOf } from './age';
import { formatDay, formatDayTime, formatTime, formatZoned, startOfDay } from './date';
import { formatNumber, formatPercent, minus, nbsp } from './number';
import { displayUnit, standsFirst } from './unit';

type Reading = Pick<components['schemas']['Reading'], 'value' | 'unit' | 'precision'>;

/** What stands where there is no value; never 0. */
export const missing = '–';

/** With the space that it needs, which does not break. */
export interface Piece {
  kind: 'value' | 'unit';
  text: string;
}

/** Numbers, readings, times and places in the words of one language. */
export interface Format {
  language: Language;
  number: (value: number, decimals?: number) => string;
  /** A share of one, as percent. */
  percent: (share: number) => string;
  unit: (unit: string) => string;
  /** What a reading is written of, in its order: its unit stands in another size than its value. */
  pieces: (reading: Reading | undefined) => Piece[];
  /** A reading in one piece, joined so that no line breaks in it. */
  reading: (reading: Reading | undefined) => string;
  /** 8 s, 2 min, 3 h, Yesterday, 19 Nov: standing alone. */
  age: (time: number, now: number) => string;
  /** 8 s ago, yesterday, 19 Nov: within a sentence. */
  ago: (time: number, now: number) => string;
  /** 05:40. */
  time: (time: number) => string;
  /** 19 Nov; with the year when it is not this one. */
  day: (time: number, now: number) => string;
  /** 05:40, or with the day in front when it is not today's. */
  moment: (time: number, now: number) => string;
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

  function pieces(reading: Reading | undefined): Piece[] {
    if (!reading) return alone(missing);
    const { value } = reading;
    if (typeof value === 'boolean') return alone(t(value ? 'format.on' : 'format.off'));
    if (typeof value === 'string') return alone(value === '' ? missing : value);
    return measured(value, reading.precision, reading.unit);
  }

  function measured(value: number, decimals: number | undefined, unit: string): Piece[] {
    const text = number(value, decimals);
    if (unit === '') return alone(text);
    if (!standsFirst(unit, language)) {
      return [...alone(text), { kind: 'unit', text: `${nbsp}${displayUnit(unit, language)}` }];
    }
    // The sign is before both: −%5.
    const sign = text.startsWith(minus) ? alone(minus) : [];
    return [...sign, { kind: 'unit', text: unit }, ...alone(text.slice(sign.length))];
  }

  const joined = (list: readonly Piece[]) => list.map(({ text }) => text).join('');

  function words(time: number, now: number, alone: boolean): string {
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

  function moment(time: number, now: number): string {
    if (time >= startOfDay(now)) return formatTime(time);
    return formatDayTime(formatDay(time, now, language), formatTime(time), language);
  }

  // Coordinates have dots in every language, as in what people copy from elsewhere.
  const latitude = (degrees: number, decimals: number) =>
    t(degrees < 0 ? 'format.south' : 'format.north', { value: Math.abs(degrees).toFixed(decimals) });
  const longitude = (degrees: number, decimals: number) =>
    t(degrees < 0 ? 'format.west' : 'format.east', { value: Math.abs(degrees).toFixed(decimals) });

  return {
    language,
    number,
    percent: (share) => formatPercent(share, language),
    unit: (unit) => displayUnit(unit, language),
    pieces,
    reading: (reading) => joined(pieces(reading)),
    age: (time, now) => words(time, now, true),
    ago: (time, now) => words(time, now, false),
    time: formatTime,
    day: (time, now) => formatDay(time, now, language),
    moment,
    absolute: (time) => formatZoned(time, language),
    latitude,
    longitude,
    position: (lat, lng) => `${latitude(lat, 4)}, ${longitude(lng, 4)}`,
    distance: (metres) =>
      joined(metres < 1000 ? measured(metres, undefined, 'm') : measured(metres / 1000, undefined, 'km')),
  };
}

const made = new Map<Language, Format>();

/** The words must have been loaded: inside a component use useFormat, which follows the language. */
export function formatFor(language: Language): Format {
  let format = made.get(language);
  if (!format) {
    format = createFormat(language);
    made.set(language, format);
  }
  return format;
}

export function useFormat(): Format {
  return formatFor(useLanguage((state) => state.language));
}
