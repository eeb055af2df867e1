import type { Column } from '@/features/analysis/data/column';
import type { Line, LineResolution } from '@/features/analysis/data/line';

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
