import { type Preset, presets } from '@/lib/analysis/presets';

/** What the page draws over the lines, each switchable. */
export const layers = ['band', 'limits', 'alarms', 'nights', 'rain', 'gaps', 'depths'] as const;
export type Layer = (typeof layers)[number];

export const resolutions = ['auto', 'raw', 'hour', 'day'] as const;
export type Resolution = (typeof resolutions)[number];

/**
 * The search parameters of the analysis page: all that is seen, so that an address can be shared
 * and a view saved. Absent parameters have their defaults.
 */
export interface AnalysisSearch {
  /** Device names, joined by commas (names contain no commas); at most `maxDevices` count. */
  devices?: string;
  /** Identifiers of properties, joined by commas. */
  signs?: string;
  /** Default: month. Ignored if `from` and `to` are given. */
  range?: Preset;
  /** Epoch milliseconds, both inclusive. */
  from?: number;
  to?: number;
  /** Default: auto. */
  by?: Exclude<Resolution, 'auto'>;
  /** With the year before: aligned by date, or by degree days since `since`. */
  compare?: 'date' | 'degreeDays';
  /** The day from which degree days are counted, MM-DD; default 01-01. */
  since?: string;
  /** The base temperature of degree days, °C; default: that of the device's product, else 10. */
  base?: number;
  /** The layers that are switched off, joined by commas. */
  hide?: string;
  /** Soil moisture at field capacity and at which to irrigate; default: those of the product. */
  full?: number;
  refill?: number;
  /** The id of a notice, whose limits are drawn. Without devices, the page opens its history. */
  alarm?: number;
  /** Default: chart. */
  view?: 'table';
}

export const maxDevices = 6;
/** As many as one call takes. */
export const maxSigns = 64;

/** The router parses a list that is a single number as a number. */
function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(value: unknown, low: number, high: number): number | undefined {
  const parsed = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof parsed === 'number' && parsed >= low && parsed <= high ? parsed : undefined;
}

function oneOf<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((candidate) => candidate === value);
}

const latest = 8.64e15;

function wholeNumber(value: unknown, high: number): number | undefined {
  const found = number(value, 0, high);
  return found !== undefined && Number.isInteger(found) ? found : undefined;
}

/** MM-DD, a day that some year has. */
function isDayOfYear(text: string): boolean {
  const [, month, day] = /^(\d\d)-(\d\d)$/.exec(text) ?? [];
  const leapYear = 2024;
  const date = new Date(Date.UTC(leapYear, Number(month) - 1, Number(day)));
  return date.toISOString().slice(5, 10) === text;
}

/** Keeps what is valid; the rest takes its default. */
export function analysisSearch(given: Record<string, unknown>): AnalysisSearch {
  const from = wholeNumber(given.from, latest);
  const to = wholeNumber(given.to, latest);
  const custom = from !== undefined && to !== undefined && from < to;
  const since = text(given.since);
  const full = number(given.full, 0, 100);
  const refill = number(given.refill, 0, 100);
  const search: AnalysisSearch = {
    devices: namesOf(text(given.devices)).slice(0, maxDevices).join(',') || undefined,
    // Empty: none is chosen, which is not the same as absent.
    signs: given.signs === '' ? '' : namesOf(text(given.signs)).slice(0, maxSigns).join(',') || undefined,
    range: custom ? undefined : oneOf(given.range, presets),
    from: custom ? from : undefined,
    to: custom ? to : undefined,
    by: oneOf(given.by, ['raw', 'hour', 'day'] as const),
    compare: oneOf(given.compare, ['date', 'degreeDays'] as const),
    since: since && isDayOfYear(since) ? since : undefined,
    base: number(given.base, -20, 40),
    hide: layers.filter((layer) => namesOf(text(given.hide)).includes(layer)).join(',') || undefined,
    full,
    refill: full !== undefined && refill !== undefined && refill >= full ? undefined : refill,
    alarm: wholeNumber(given.alarm, Number.MAX_SAFE_INTEGER),
    view: oneOf(given.view, ['table'] as const),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

/** The names in a list joined by commas, each once. */
export function namesOf(list: string | undefined): string[] {
  return [...new Set((list ?? '').split(',').filter(Boolean))];
}
