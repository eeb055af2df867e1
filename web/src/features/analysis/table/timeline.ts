import { indexFrom } from '@/ui/chart/times';
import type { Line, LineResolution } from '../data/line';

/** Several lines by one list of times. */
export interface Timeline {
  /** All times at which any line has a value, oldest first. */
  times: Float64Array;
  /** The index in a line of its value in a row; -1 if it has none there. */
  at: (line: number, row: number) => number;
}

/**
 * Joins lines by their times. In degree days a line has the same time more than once, where a cold
 * day adds none; its values then take a row each.
 */
export function timelineOf(lines: readonly Line[]): Timeline {
  const times = new Float64Array(lines.reduce((sum, line) => sum + line.times.length, 0));
  const rows = lines.map((line) => new Float64Array(line.times.length));
  const heads = new Int32Array(lines.length);
  let count = 0;
  for (;;) {
    let next = Number.POSITIVE_INFINITY;
    lines.forEach((line, index) => {
      next = Math.min(next, line.times[heads[index] ?? 0] ?? Number.POSITIVE_INFINITY);
    });
    if (next === Number.POSITIVE_INFINITY) break;
    lines.forEach((line, index) => {
      const head = heads[index] ?? 0;
      const own = rows[index];
      if (line.times[head] !== next || !own) return;
      own[head] = count;
      heads[index] = head + 1;
    });
    times[count] = next;
    count += 1;
  }
  return {
    times: times.slice(0, count),
    at: (line, row) => {
      const own = rows[line];
      if (!own) return -1;
      const index = indexFrom(own, row);
      return own[index] === row ? index : -1;
    },
  };
}

/** Lines may differ in it; times are written so that those of all lines are told apart. */
export function finestResolution(columns: readonly { line: Line }[]): LineResolution {
  const found = new Set(columns.map(({ line }) => line.resolution));
  return (['raw', 'hour', 'day'] as const).find((resolution) => found.has(resolution)) ?? 'day';
}

/**
 * The index of a column's value in a row of a timeline; -1: none. A switch that is known by its phases has
 * one in each row, since it holds.
 */
export function valueAt(timeline: Timeline, columns: readonly { line: Line }[], column: number, row: number): number {
  const line = columns[column]?.line;
  if (!line?.onTimes?.phases) return timeline.at(column, row);
  return indexFrom(line.times, (timeline.times[row] ?? 0) + 1) - 1;
}
