import { indexFrom, usualInterval } from '@/ui/chart/times';
import type { Axis } from '../data/column';
import type { Line, LineResolution, Span } from '../data/line';

/** A point of a drawn line: its place across, and the values at it. */
export interface RunPoint {
  /** In pixels. */
  x: number;
  low: number;
  mean: number;
  high: number;
}

/** A part of a line without a gap. */
export type Run = RunPoint[];

const hourMs = 3_600_000;
/** What a value stands for: its time is the middle of that. */
export const lengthOf: Record<LineResolution, number> = { raw: 0, hour: hourMs, day: 24 * hourMs };
/** A pause longer than this many usual intervals is a gap. */
const gapFactor = 3;

const usualPauses = new WeakMap<Float64Array, number>();

/**
 * Where a value is drawn: in the middle of its hour or day; over degree days, at its time. An hour in which a day
 * begins is two.
 */
export function placeOf({ times, resolution }: Pick<Line, 'times' | 'resolution'>, index: number, axis: Axis): number {
  const time = times[index] ?? 0;
  if (axis !== 'time') return time;
  return time + Math.min(lengthOf[resolution], (times[index + 1] ?? Number.POSITIVE_INFINITY) - time) / 2;
}

/** Longer pauses between two times are gaps; a day may have 25 hours. */
export function longestPause({ resolution, times }: Line): number {
  if (resolution !== 'raw') return lengthOf[resolution] * 1.5;
  // Each move of the pointer asks, and finding it sorts all pauses.
  const usual = usualPauses.get(times) ?? usualInterval(times);
  usualPauses.set(times, usual);
  return gapFactor * usual || Number.POSITIVE_INFINITY;
}

/** The parts of a range without values, also at its ends; without any value nothing is known. */
export function gapsOf(line: Line, { from, to }: Span): Span[] {
  const longest = longestPause(line);
  const length = lengthOf[line.resolution];
  const gaps: Span[] = [];
  let end = from;
  for (const time of [...line.times, to]) {
    if (time - end + length > longest) gaps.push({ from: end, to: Math.min(time, to) });
    end = time + length;
  }
  return gaps.filter((gap) => gap.to > gap.from);
}

interface Place {
  axis: Axis;
  span: Span;
  left: number;
  width: number;
}

/**
 * The line as it is drawn: one point a pixel at most, with the lowest, the mean and the highest of
 * what lies there. One point beyond each end, so that it reaches the edges.
 */
export function runsOf(line: Line, { axis, span, left, width }: Place): Run[] {
  const { times, low, mean, high, count } = line;
  const middle = axis === 'time' ? lengthOf[line.resolution] / 2 : 0;
  const longest = axis === 'time' ? longestPause(line) : Number.POSITIVE_INFINITY;
  const perUnit = width / (span.to - span.from);
  const first = Math.max(0, indexFrom(times, span.from - middle) - 1);
  const last = Math.min(times.length, indexFrom(times, span.to) + 1);
  const runs: Run[] = [];
  let run: Run = [];
  let pixel = Number.NaN;
  let weight = 0;
  for (let i = first; i < last; i += 1) {
    const time = times[i] ?? 0;
    const x = left + (placeOf(line, i, axis) - span.from) * perUnit;
    if (i > first && time - (times[i - 1] ?? 0) > longest) {
      runs.push(run);
      run = [];
      pixel = Number.NaN;
    }
    const point = run.at(-1);
    const [lowest, average, highest, many] = [low[i] ?? 0, mean[i] ?? 0, high[i] ?? 0, count[i] ?? 1];
    if (point && Math.round(x) === pixel) {
      point.low = Math.min(point.low, lowest);
      point.high = Math.max(point.high, highest);
      point.mean += ((average - point.mean) * many) / (weight + many);
      weight += many;
      continue;
    }
    pixel = Math.round(x);
    weight = many;
    run.push({ x, low: lowest, mean: average, high: highest });
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

type Height = (value: number) => number;
const short = (pixels: number) => Math.round(pixels * 10) / 10;

/** The path of a run's means. */
export function linePath(run: Run, y: Height): string {
  return run.map(({ x, mean }, index) => `${index === 0 ? 'M' : 'L'}${short(x)} ${short(y(mean))}`).join('');
}

/** The outline of a run's band, from its lowest to its highest values. */
export function bandPath(run: Run, y: Height): string {
  const there = run.map(({ x, high }) => `${short(x)} ${short(y(high))}`);
  const back = run.map(({ x, low }) => `${short(x)} ${short(y(low))}`).reverse();
  return `M${[...there, ...back].join('L')}Z`;
}
