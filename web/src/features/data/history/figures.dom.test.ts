import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import type { PropertyKind } from '@/lib/device/propertyKind';
import { formatFor } from '@/lib/format/format';
import { durationText } from './duration';
import { figuresOf, readingText } from './figures';
import type { Trace } from './model';

const format = formatFor('en-us');
const trace = (kind: PropertyKind, values: readonly number[], change: Partial<Trace> = {}): Trace => ({
  attribute: { id: 'a', name: 'A', unit: '°C', precision: 1, kind },
  color: 0,
  dash: undefined,
  compared: false,
  line: { times: Float64Array.from(values, (_, index) => index), values: Float64Array.from(values) },
  gaps: [],
  isExact: () => true,
  bars: null,
  hours: null,
  band: null,
  points: new Float64Array(0),
  isolated: new Float64Array(0),
  ...change,
});
const window = { from: 0, to: 100 };

describe('figures of the window', () => {
  it('are lowest, mean and highest', () => {
    expect(figuresOf(trace('line', [1, 2, 6]), window, format)).toEqual({
      kind: 'three',
      low: '1.0',
      mean: '3.0',
      high: '6.0',
    });
  });

  it('mark the mean of thinned readings as approximate', () => {
    const about = figuresOf(trace('line', [1, 3], { isExact: () => false }), window, format);
    expect(about).toEqual({ kind: 'three', low: '1.0', mean: '≈2.0', high: '3.0' });
  });

  it('are the sum of rain, the mean direction, the share of time', () => {
    expect(figuresOf(trace('sum', [0.2, 0.4]), window, format)).toEqual({ kind: 'sum', text: '0.6' });
    expect(figuresOf(trace('direction', [355, 5]), window, format)).toEqual({ kind: 'direction', text: '0.0' });
    expect(figuresOf(trace('step', [1, 1, 0]), window, format)).toEqual({ kind: 'on', text: '100%' });
  });

  it('are empty where there are no readings', () => {
    for (const kind of ['line', 'sum', 'direction', 'step'] as const) {
      expect(figuresOf(trace(kind, []), window, format)).toEqual({ kind: 'none' });
    }
  });
});

it('writes on and off for a switch', () => {
  const { attribute } = trace('step', []);
  expect(readingText(attribute, 1, format)).toBe('On');
  expect(readingText(attribute, false, format)).toBe('Off');
});

it.each([
  [45_000, '45 s'],
  [292 * 60_000, '4 h 52 min'],
  [3_600_000, '1 h'],
  [26 * 3_600_000 + 60_000, '1 d 2 h'],
  [2 * 86_400_000, '2 d'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms, i18next.t).replaceAll('\u00a0', ' ')).toBe(text);
});
