import { startOfDate, zonedDate } from '@/lib/format/zone';
import { indexFrom } from '@/ui/chart/times';
import type { Axis } from '../data/column';
import type { Line, Span } from '../data/line';
import { lengthOf } from './runs';

export const barPeriods = ['hour', 'day', 'week', 'month'] as const;
export type BarPeriod = (typeof barPeriods)[number];

/** A sum and the part of the axis that it is of. */
export interface Bar extends Span {
  sum: number;
}

const hourMs = 3_600_000;
const lengths: Record<BarPeriod, number> = {
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
  month: 30 * 24 * hourMs,
};
/** Narrower bars cannot be told apart. */
const minPixels = 4;

/** The shortest period whose bars can be told apart, and that the lines' values do not exceed. */
export function barPeriod(lines: readonly Line[], span: Span, width: number): BarPeriod {
  const perPixel = (span.to - span.from) / Math.max(1, width);
  const least = Math.max(minPixels * perPixel, ...lines.map(({ resolution }) => lengthOf[resolution]));
  return barPeriods.find((period) => lengths[period] >= least) ?? 'month';
}

/** The period around a time, by the tenant's calendar; hours are those of UTC, weeks begin on Mondays. */
export function periodAt(time: number, period: BarPeriod): Span {
  if (period === 'hour') {
    const from = Math.floor(time / hourMs) * hourMs;
    return { from, to: from + hourMs };
  }
  const date = zonedDate(time);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  if (period === 'month') return { from: startOfDate(year, month, 1), to: startOfDate(year, month + 1, 1) };
  const first = period === 'week' ? day - ((date.getDay() + 6) % 7) : day;
  return {
    from: startOfDate(year, month, first),
    to: startOfDate(year, month, first + (period === 'week' ? 7 : 1)),
  };
}

/** The sums of a line by period; over degree days, each value reaches to the next. */
export function barsOf({ times, sum }: Line, axis: Axis, period: BarPeriod): Bar[] {
  const bars: Bar[] = [];
  if (axis === 'degreeDays') {
    for (let i = 0; i < times.length; i += 1) {
      const from = times[i] ?? 0;
      bars.push({ from, to: Math.max(from, times[i + 1] ?? from), sum: sum[i] ?? 0 });
    }
    return bars;
  }
  let i = 0;
  while (i < times.length) {
    const span = periodAt(times[i] ?? 0, period);
    const after = Math.max(i + 1, indexFrom(times, span.to));
    let total = 0;
    for (; i < after; i += 1) total += sum[i] ?? 0;
    bars.push({ ...span, sum: total });
  }
  return bars;
}
