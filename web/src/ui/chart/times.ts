/** A part of a time axis; a gap, for example. */
interface Span {
  from: number;
  to: number;
}

/** The first index whose time is not before `time`; the length if there is none. */
export function indexFrom(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function intervals(times: Float64Array): Float64Array {
  const pauses = new Float64Array(Math.max(0, times.length - 1));
  for (let i = 1; i < times.length; i += 1) pauses[i - 1] = (times[i] ?? 0) - (times[i - 1] ?? 0);
  return pauses.sort();
}

/** The usual interval: the median. 0 with fewer than two readings. */
export function usualInterval(times: Float64Array): number {
  const sorted = intervals(times);
  return sorted[sorted.length >> 1] ?? 0;
}

/** The times that are gaps in all lists. Empty for no lists. */
export function commonGaps(lists: readonly (readonly Span[])[]): Span[] {
  const [first, ...rest] = lists;
  if (!first) return [];
  return rest.reduce<readonly Span[]>((common, list) => {
    const both: Span[] = [];
    let i = 0;
    let j = 0;
    while (i < common.length && j < list.length) {
      const a = common[i] as Span;
      const b = list[j] as Span;
      const from = Math.max(a.from, b.from);
      const to = Math.min(a.to, b.to);
      if (from < to) both.push({ from, to });
      if (a.to < b.to) i += 1;
      else j += 1;
    }
    return both;
  }, first) as Span[];
}
