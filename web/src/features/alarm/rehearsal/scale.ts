import type { Rehearsal } from '@/lib/alarm/types';
import { widenTo } from '@/ui/chart/scale';

/** The chart's own units; it is scaled to the width of its container. */
export const chart = { width: 352, height: 190, right: 350, top: 22, bottom: 160 } as const;
/** The gap between a number on the left and the plot. */
export const labelGap = 8;
const minLeft = 30;

export interface Scale {
  low: number;
  high: number;
  ticks: readonly number[];
  y: (value: number) => number;
  /** The value at a height, not rounded. */
  at: (y: number) => number;
}

const steps = [1, 2, 2.5, 5, 10];

/** A round step, about `count` of which fill a range. */
export function niceStep(range: number, count: number): number {
  const rough = range / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return (steps.find((step) => step * power >= rough) ?? 10) * power;
}

/**
 * The scale from the lowest to the highest value of the days and the limit, with a margin to drag
 * the limit into. It spans at least what the quantity needs.
 */
export function scaleOf(days: Rehearsal['days'], limit: number | undefined, leastSpan = 0): Scale {
  const values = days.flatMap(({ min, max }) => [min, max]);
  if (limit !== undefined) values.push(limit);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || Math.abs(most) || 1;
  const [low, high] = widenTo(least - span * 0.08, most + span * 0.08, leastSpan);
  const step = niceStep(high - low, 3);
  const first = Math.ceil(low / step);
  const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
  const height = chart.bottom - chart.top;
  return {
    low,
    high,
    ticks,
    y: (value) => chart.bottom - ((value - low) / (high - low)) * height,
    at: (y) => low + ((chart.bottom - y) / height) * (high - low),
  };
}

/** The left edge of the plot, which leaves room for the numbers on its left. */
export function plotLeft(ticks: readonly string[], measure: (words: string) => number): number {
  return Math.max(minLeft, Math.ceil(Math.max(0, ...ticks.map(measure))) + labelGap);
}

/** The days whose dates fit below the bars, including the first. */
export function labelledDays(days: readonly string[], left: number, measure: (words: string) => number): number[] {
  const slot = (chart.right - left) / days.length;
  const widest = Math.max(0, ...days.map(measure));
  // The first date starts at the middle of its bar, the others are centred below theirs.
  const every = Math.max(1, Math.ceil((1.5 * widest + 2 * labelGap) / slot));
  return days.flatMap((_, i) => {
    const fits = i === 0 || left + slot * (i + 0.5) + widest / 2 <= chart.width;
    return i % every === 0 && fits ? [i] : [];
  });
}

/**
 * How far one key press moves the limit: by the attribute's precision, but never by too little to
 * see.
 */
export function dragStep({ low, high }: Pick<Scale, 'low' | 'high'>, precision: number | undefined): number {
  const fine = niceStep(high - low, 200);
  return precision === undefined ? fine : Math.max(10 ** -precision, fine);
}

/** Rounds a value to the grid of the steps, within the chart and without floating-point noise. */
export function snapToStep(value: number, step: number, { low, high }: Pick<Scale, 'low' | 'high'>): number {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) + (String(step).includes('25') ? 1 : 0);
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  const at = Math.min(last, Math.max(first, Math.round(value / step)));
  return Number((at * step).toFixed(decimals));
}
