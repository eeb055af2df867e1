import { type Format, missingValue } from '@/lib/format/format';
import type { Column } from '../data/column';

/**
 * What a column has at a time. `reading`: one reading, or what a switch is set to. `three`: low, mean and high. `sum`: a sum.
 * `onTime`: for how long a switch was on. `ends`: low and high only, since the mean of 350°
 * and 10° is not 180°.
 */
export type Figures = 'reading' | 'three' | 'sum' | 'onTime' | 'ends';

export function figuresOf({ kind, line }: Pick<Column, 'kind' | 'line'>): Figures {
  if (line.resolution === 'raw') return 'reading';
  switch (kind) {
    case 'sum':
      return 'sum';
    case 'step':
      return 'onTime';
    case 'direction':
      return 'ends';
    default:
      return 'three';
  }
}

/** A cell's texts: the value, and beside it what it ranges over. */
export interface CellText {
  value: string;
  low?: string;
  high?: string;
}

export function cellText(column: Column, index: number, format: Format): CellText {
  if (index < 0) return { value: missingValue };
  const { kind, line } = column;
  const mean = line.mean[index] ?? 0;
  const say = (value: number) => valueText(column, value, format);
  const ends = () => ({ low: say(line.low[index] ?? 0), high: say(line.high[index] ?? 0) });
  switch (figuresOf(column)) {
    case 'reading':
      if (kind !== 'step') return { value: say(mean) };
      return { value: Number.isNaN(mean) ? missingValue : format.reading({ value: mean === 1, unit: '' }) };
    case 'sum':
      return { value: say(line.sum[index] ?? 0) };
    case 'onTime':
      return { value: Number.isNaN(mean) ? missingValue : format.hours(line.sum[index] ?? 0) };
    case 'ends':
      return { value: '', ...ends() };
    case 'three':
      return { value: say(mean), ...ends() };
  }
}

/** Means have more digits than sensors measure; without a known precision, five are shown. */
const shownDigits = 5;

/** With the sensor's precision. */
function valueText({ precision }: Pick<Column, 'precision'>, value: number, format: Format): string {
  if (precision !== undefined) return format.number(value, precision);
  if (value === 0) return format.number(0);
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) + 1 - shownDigits);
  // Dividing by the inverse of a small step avoids 0.30000000000000004.
  return format.number(step < 1 ? Math.round(value / step) / Math.round(1 / step) : Math.round(value / step) * step);
}
