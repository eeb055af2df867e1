import { expect, it } from 'vitest';
import { analysisColumn, lineOfValues } from '@/test/analysisColumns';
import type { Column } from '../data/column';
import { isSplit, panelsOf } from './panels';

const day = 86_400_000;
const span = { from: 0, to: 3 * day };
const options = {
  axis: 'time' as const,
  span,
  width: 600,
  steps: 4,
  band: true,
  depths: true,
  marksOf: () => undefined,
  limits: [],
};
const column = (sign: string, means: number[], change: Partial<Column> = {}) =>
  analysisColumn(lineOfValues('day', [0, day, 2 * day].slice(0, means.length), means), {
    key: `WS-1 ${sign}`,
    sign,
    leastSpan: 0,
    ...change,
  });
const limit = (value: number, recovery: number | null = null) => ({
  sign: 'airTemperature',
  operator: '<' as const,
  side: 'below' as const,
  value,
  recovery,
  level: 2,
  names: ['Frost'],
  deviceNames: ['WS-1'],
});

it('has a plot for each unit, and others for sums and for each switch', () => {
  const panels = panelsOf(
    [
      column('airTemperature', [1, 2, 3]),
      column('airHumidity', [50, 60, 70], { unit: '%' }),
      column('dewPoint', [0, 1, 2]),
      column('rainfall', [1, 2, 3], { unit: 'mm', kind: 'sum' }),
      column('pump', [0, 1, 0], { unit: '', kind: 'step' }),
      column('fan', [0, 1, 0], { unit: '', kind: 'step' }),
    ],
    options,
  );
  expect(panels.map(({ kind, unit, columns }) => [kind, unit, columns.map(({ sign }) => sign)])).toEqual([
    ['numbers', '°C', ['airTemperature', 'dewPoint']],
    ['numbers', '%', ['airHumidity']],
    ['sums', 'mm', ['rainfall']],
    ['step', '', ['pump']],
    ['step', '', ['fan']],
  ]);
});

it('tells the lines of a device apart by strokes, and those of devices by colour alone', () => {
  const [panel] = panelsOf(
    [
      column('airTemperature', [1]),
      column('dewPoint', [0]),
      column('airTemperature', [2], { key: 'WS-2 airTemperature', deviceName: 'WS-2', color: 1 }),
    ],
    options,
  );
  const strokes = panel?.strokes;
  expect(strokes?.get('WS-1 airTemperature')).toBeUndefined();
  expect(strokes?.get('WS-2 airTemperature')).toBeUndefined();
  expect(strokes?.get('WS-1 dewPoint')).toEqual([7, 3]);
});

it('has room for all values in view, with the band only if it is drawn', () => {
  const lines = [
    analysisColumn(
      {
        ...lineOfValues('day', [0, day, 30 * day], [10, 12, 90]),
        low: Float64Array.of(1, 12, 90),
        high: Float64Array.of(10, 22, 90),
      },
      { leastSpan: 0 },
    ),
  ];
  const scaleWith = (band: boolean) => panelsOf(lines, { ...options, band })[0]?.scale;
  expect(scaleWith(true)?.min).toBeLessThanOrEqual(1);
  expect(scaleWith(true)?.max).toBeGreaterThanOrEqual(22);
  expect(scaleWith(true)?.max).toBeLessThan(90);
  expect(scaleWith(false)?.min).toBeGreaterThan(1);
  expect(scaleWith(false)?.max).toBeLessThan(22);
});

it('does not fill the plot with noise', () => {
  const [panel] = panelsOf([column('airTemperature', [20, 20.1, 20], { leastSpan: 5 })], options);
  const { min = 0, max = 0 } = panel?.scale ?? {};
  expect(max - min).toBeGreaterThanOrEqual(5);
});

it('grows for a limit that is near, and keeps one that is far at the edge', () => {
  const lines = [column('airTemperature', [10, 20, 30])];
  const near = panelsOf(lines, { ...options, limits: [limit(2, 0)] })[0];
  expect(near?.scale.min).toBeLessThanOrEqual(0);
  const far = panelsOf(lines, { ...options, limits: [limit(-200), { ...limit(5), sign: 'airHumidity' }] })[0];
  expect(far?.scale.min).toBeGreaterThan(-50);
  expect(far?.limits.map(({ value }) => value)).toEqual([-200]);
});

it('draws directions over the whole circle, and switches between off and on', () => {
  const [direction, pump] = panelsOf(
    [
      column('windDirection', [350, 10, 20], { unit: '°', kind: 'direction' }),
      column('pump', [0, 1, 0], { unit: '', kind: 'step' }),
    ],
    options,
  );
  expect(direction?.scale).toEqual({ min: 0, max: 360, step: 90 });
  expect(pump?.scale.min).toBeLessThan(0);
  expect(pump?.scale.max).toBeGreaterThan(1);
});

it('draws sums as bars from zero', () => {
  const [panel] = panelsOf([column('rainfall', [1, 2, 3], { unit: 'mm', kind: 'sum' })], options);
  expect(panel?.bars?.period).toBe('day');
  expect(panel?.bars?.of.get('WS-1 rainfall')).toHaveLength(3);
  expect(panel?.scale.min).toBe(0);
  expect(panel?.scale.max).toBeGreaterThanOrEqual(72);
});

const probe = [column('soilMoisture30', [20, 22, 24]), column('airTemperature', [1]), column('soilMoisture10', [30])];

it('splits a probe by depth, the shallowest on top, all on one axis', () => {
  const panels = panelsOf(
    probe.map((line) => (line.sign.startsWith('soil') ? { ...line, unit: '%' } : line)),
    {
      ...options,
      marksOf: (sign) => (sign === 'soilMoisture10' ? { full: 34, refill: 26 } : undefined),
    },
  );
  expect(panels.map(({ kind, columns }) => [kind, columns[0]?.sign])).toEqual([
    ['depth', 'soilMoisture10'],
    ['depth', 'soilMoisture30'],
    ['numbers', 'airTemperature'],
  ]);
  expect(panels[0]?.scale).toEqual(panels[1]?.scale);
  expect(panels[0]?.marks).toEqual({ full: 34, refill: 26 });
  expect(panels[1]?.marks).toBeUndefined();
  expect(panels[0]?.scale.max).toBeGreaterThanOrEqual(34);
});

it('does not split a single depth, or if that is switched off', () => {
  expect(isSplit('soilMoisture10', probe)).toBe(true);
  expect(isSplit('soilMoisture10', [{ sign: 'soilMoisture10' }, { sign: 'soilTemperature20' }])).toBe(false);
  expect(isSplit('airTemperature', probe)).toBe(false);
  expect(panelsOf(probe, { ...options, depths: false }).map(({ kind }) => kind)).toEqual(['numbers']);
});
