import type { Line, Span } from './line';
import { type OnTimes, type Phase, shareOn } from './onTimes';

const valueOfState: Record<Phase['state'], number> = { on: 1, off: 0, unknown: Number.NaN };

/**
 * A switch as a line: where it was switched, with 1 or 0, and no number where nothing is known; or, if
 * there are too many phases, its days, with the share of the time that it was on and how long that is.
 */
export function switchLine(onTimes: OnTimes): Line {
  const { phases, days } = onTimes;
  const spans: readonly Span[] = phases ?? days;
  const means = phases ? phases.map(({ state }) => valueOfState[state]) : days.map(({ sum }) => shareOn(sum));
  const mean = Float64Array.from(means);
  return {
    resolution: phases ? 'raw' : 'day',
    times: Float64Array.from(spans, ({ from }) => from),
    low: mean,
    mean,
    high: mean,
    count: new Float64Array(mean.length).fill(1),
    sum: phases ? mean : Float64Array.from(days, ({ sum }) => sum.on),
    onTimes,
  };
}
