export interface SparkPoint {
  time: number;
  value: number;
}

export interface SparkSpan {
  from: number;
  to: number;
}

/** The drawing's own size; it is stretched to its container. */
export const sparkWidth = 100;
export const sparkHeight = 30;
/** Room for the stroke above and below. */
const margin = 3;
/** A pause this many times the usual interval is a gap that breaks the line. */
const gapFactor = 4;
const minGapMs = 15 * 60_000;

function medianInterval(points: readonly SparkPoint[]): number {
  const pauses = points.slice(1).map((point, i) => point.time - (points[i]?.time ?? point.time));
  pauses.sort((a, b) => a - b);
  return pauses[Math.floor(pauses.length / 2)] ?? 0;
}

/**
 * The line of a day as SVG path data, and the position of its newest point. Time spans the whole
 * width, so a line that ends early shows since when no readings came. Null without points in the
 * span.
 */
export function sparkPath(
  all: readonly SparkPoint[],
  span: SparkSpan,
): { d: string; end: { x: number; y: number } } | null {
  const points = all.filter(({ time }) => time >= span.from && time <= span.to);
  const last = points.at(-1);
  if (!last) return null;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { value } of points) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const x = (time: number) => ((time - span.from) / (span.to - span.from)) * sparkWidth;
  const y = (value: number) =>
    high === low ? sparkHeight / 2 : margin + ((high - value) / (high - low)) * (sparkHeight - 2 * margin);

  const gap = Math.max(minGapMs, gapFactor * medianInterval(points));
  let d = '';
  let before: number | undefined;
  for (const { time, value } of points) {
    const pen = before === undefined || time - before > gap ? 'M' : 'L';
    d += `${pen}${x(time).toFixed(2)} ${y(value).toFixed(2)}`;
    before = time;
  }
  return { d, end: { x: x(last.time), y: y(last.value) } };
}
