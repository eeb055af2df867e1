import type { components } from '@/api/schema.gen';
import type { Column } from '@/features/analysis/data/column';
import type { Line, LineResolution } from '@/features/analysis/data/line';
import { onTimesOf } from '@/features/analysis/data/onTimes';
import { switchLine } from '@/features/analysis/data/switchLine';

/** A line with these means; the lows are one below, the highs one above, unless it is of readings. */
export function lineOfValues(resolution: LineResolution, times: readonly number[], means: readonly number[]): Line {
  const beside = (by: number) => Float64Array.from(means, (mean) => (resolution === 'raw' ? mean : mean + by));
  return {
    resolution,
    times: Float64Array.from(times),
    low: beside(-1),
    mean: Float64Array.from(means),
    high: beside(1),
    count: Float64Array.from(means, () => (resolution === 'raw' ? 1 : 60)),
    sum: Float64Array.from(means, (mean) => (resolution === 'raw' ? mean : mean * 60)),
  };
}

/** A column of the analysis page: the air temperature of the orchard's mast. */
export function analysisColumn(line: Line, change: Partial<Column> = {}): Column {
  return {
    key: 'WS-1 airTemperature',
    deviceName: 'WS-1',
    device: 'Orchard mast',
    sign: 'airTemperature',
    name: 'Air temperature',
    unit: '°C',
    precision: 1,
    kind: 'line',
    leastSpan: 5,
    color: 0,
    compared: false,
    line,
    ...change,
  };
}

type Schemas = components['schemas'];

export const onSum = (change: Partial<Schemas['OnTimesSum']>): Schemas['OnTimesSum'] => ({
  on: 0,
  off: 0,
  unknown: 0,
  starts: 0,
  stops: 0,
  ...change,
});

/** The server's answer on a switch. */
export const onTimesAnswer = (change: Partial<Schemas['OnTimes']>): Schemas['OnTimes'] => ({
  startTime: 0,
  endTime: 0,
  total: onSum({}),
  days: [],
  ...change,
});

/** The line of a switch. */
export const switchOf = (change: Partial<Schemas['OnTimes']>): Line => switchLine(onTimesOf(onTimesAnswer(change)));
