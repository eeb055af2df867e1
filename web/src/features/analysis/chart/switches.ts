import type { Span } from '../data/line';
import type { OnTimes } from '../data/onTimes';
import { type Box, type Geometry, xOf } from './geometry';

/** On-times closer to each other than this, on average, would be one grey strip. */
const leastPixels = 4;

const overlaps = (span: Span) => (other: Span) => other.to > span.from && other.from < span.to;

/** Whether a strip of so many pixels has room for each on-time; otherwise it shows hours a day. */
export function showsPhases({ phases, days }: OnTimes, span: Span, width: number): boolean {
  if (phases === null) return false;
  const seen = phases.filter(overlaps(span)).filter(({ state }) => state === 'on');
  return seen.length * leastPixels <= width || days.filter(overlaps(span)).length <= 2;
}

type Place = Pick<Geometry, 'left' | 'plotWidth'>;
const short = (pixels: number) => Math.round(pixels * 10) / 10;

/** A short on-time is drawn this wide at least. */
const minWidth = 1;

/** The on-times, as high as the strip. */
export function onPath({ phases }: OnTimes, span: Span, place: Place, { top, height }: Box): string {
  return (phases ?? [])
    .filter(({ state }) => state === 'on')
    .filter(overlaps(span))
    .map(({ from, to }) => {
      const x = xOf(from, span, place);
      const width = Math.max(minWidth, xOf(to, span, place) - x);
      return `M${short(x)} ${top}h${short(width)}v${height}h${short(-width)}z`;
    })
    .join('');
}

/** A bar a day, as high as the share of the day in which the switch was on. */
export function onDaysPath({ days }: OnTimes, span: Span, place: Place, { top, height }: Box): string {
  return days
    .filter(overlaps(span))
    .filter(({ sum }) => sum.on > 0)
    .map(({ from, to, sum }) => {
      const x = xOf(from, span, place);
      const width = Math.max(minWidth, xOf(to, span, place) - x - 1);
      const high = Math.max(1, (sum.on / (to - from)) * height);
      return `M${short(x)} ${short(top + height - high)}h${short(width)}v${short(high)}h${short(-width)}z`;
    })
    .join('');
}

/** Where nothing is known; by days, those of which nothing is known at all. */
export function unknownIn({ phases, days }: OnTimes, span: Span): Span[] {
  if (phases) return phases.filter(({ state }) => state === 'unknown').filter(overlaps(span));
  return days.filter(({ sum }) => sum.on + sum.off === 0).filter(overlaps(span));
}
