import { indexFrom, usualInterval } from '@/ui/chart/times';
import type { Span } from './range';
import type { Line, SampledLine } from './series';

/** A pause longer than this many usual intervals is a gap. */
const gapFactor = 3;

/**
 * A pause up to this length is not a gap. Thinned readings may have pauses of up to two buckets
 * that the full readings do not have.
 */
export function longestPause({ times, bucket }: Pick<SampledLine, 'times' | 'bucket'>): number {
  return Math.max(gapFactor * usualInterval(times), 2 * bucket);
}

/** The gaps of a span, also those at its beginning and end. */
export function findGaps(line: Pick<SampledLine, 'times' | 'bucket'>, { from, to }: Span): Span[] {
  const { times } = line;
  if (times.length === 0) return [{ from, to }];
  const longest = longestPause(line);
  // A single reading has no usual interval, so nothing is known about the time around it.
  if (longest === 0) return [];
  const found: Span[] = [];
  let before = from;
  for (let i = 0; i <= times.length; i += 1) {
    const time = times[i] ?? to;
    if (time - before > longest) found.push({ from: before, to: time });
    before = time;
  }
  return found;
}

/** The gaps of a coarse line outside of a span, and those of a finer line within it. */
export function spliceGaps(coarse: readonly Span[], fine: readonly Span[], span: Span): Span[] {
  const before = coarse
    .filter(({ from }) => from < span.from)
    .map((gap) => ({ ...gap, to: Math.min(gap.to, span.from) }));
  const after = coarse.filter(({ to }) => to > span.to).map((gap) => ({ ...gap, from: Math.max(gap.from, span.to) }));
  const joined: Span[] = [];
  for (const gap of [...before, ...fine, ...after]) {
    const last = joined.at(-1);
    if (last && gap.from <= last.to) last.to = Math.max(last.to, gap.to);
    else joined.push({ ...gap });
  }
  return joined;
}

/** Alternating times and values, as the chart expects them, with a break at each gap. */
export function withGapBreaks({ times, values }: Line, gaps: readonly Span[]): Float64Array {
  const out = new Float64Array(2 * (times.length + gaps.length));
  let count = 0;
  let gap = 0;
  const put = (time: number, value: number) => {
    out[count] = time;
    out[count + 1] = value;
    count += 2;
  };
  for (let i = 0; i < times.length; i += 1) {
    const time = times[i] ?? 0;
    while ((gaps[gap]?.to ?? Number.POSITIVE_INFINITY) <= time) {
      if (i > 0) put(((gaps[gap] as Span).from + (gaps[gap] as Span).to) / 2, Number.NaN);
      gap += 1;
    }
    put(time, values[i] ?? 0);
  }
  return out.subarray(0, count);
}

/** Readings between two gaps, which no line touches. */
export function isolatedReadings({ times, values }: Line, gaps: readonly Span[]): Float64Array {
  const out: number[] = [];
  const starts = new Set(gaps.map(({ from }) => from));
  const ends = new Set(gaps.map(({ to }) => to));
  for (let i = 0; i < times.length; i += 1) {
    const time = times[i] ?? 0;
    const before = i === 0 || ends.has(time);
    const after = i === times.length - 1 || starts.has(time);
    if (before && after) out.push(time, values[i] ?? 0);
  }
  return Float64Array.from(out);
}

/**
 * A step line: a value holds until the next value or until a gap begins. `end` is the last contact.
 */
export function stepLine({ times, values }: Line, gaps: readonly Span[], end: number): { line: Line; gaps: Span[] } {
  const outTimes: number[] = [];
  const outValues: number[] = [];
  const kept: Span[] = [];
  const put = (time: number, value: number) => {
    if (outTimes.at(-1) === time) {
      outValues[outValues.length - 1] = value;
      return;
    }
    outTimes.push(time);
    outValues.push(value);
  };
  for (let i = 0; i < times.length; i += 1) {
    const time = times[i] ?? 0;
    const value = values[i] ?? 0;
    const until = times[i + 1] ?? Math.max(end, time);
    put(time, value);
    for (const gap of gaps) {
      if (gap.from < time || gap.from >= until) continue;
      put(gap.from, value);
      kept.push(gap);
      if (gap.to < until) put(gap.to, value);
    }
    const ended = gaps.some((gap) => gap.from >= time && gap.from < until && gap.to >= until);
    if (i === times.length - 1 && !ended) put(until, value);
  }
  return { line: { times: Float64Array.from(outTimes), values: Float64Array.from(outValues) }, gaps: kept };
}

/** The time of the last reading of all lines: where the last gap begins if it reaches the end. */
export function lastReadingTime(lines: readonly Line[], fallback: number): number {
  const ends = lines.flatMap(({ times }) => (times.length > 0 ? [times[times.length - 1] as number] : []));
  return ends.length > 0 ? Math.max(...ends) : fallback;
}

/** Whether a time lies within one of the gaps. */
export function isInGap(gaps: readonly Span[], time: number): boolean {
  const ends = Float64Array.from(gaps, ({ to }) => to);
  const gap = gaps[indexFrom(ends, time)];
  return gap !== undefined && gap.from < time && time < gap.to;
}
