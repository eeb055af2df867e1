import { describe, expect, it } from 'vitest';
import type { Panel } from './attributes';
import { layout, minChartHeight, neededHeight, timeAt, xOf, yOf } from './geometry';

const panel = (lines: number, kind: Panel['kind'] = 'numbers'): Panel => ({
  key: `${kind} ${lines}`,
  unit: '',
  kind,
  attributes: Array.from({ length: lines }, (_, index) => ({
    id: String(index),
    name: '',
    unit: '',
    precision: 1,
    kind: kind === 'step' ? 'step' : 'line',
  })),
});

const rooms = { left: 40, right: 16 };

describe('the panels', () => {
  it('fill the height from top to bottom, more for more lines', () => {
    const { boxes, height } = layout(
      [panel(2), panel(1), panel(1, 'step')],
      { width: 800, height: 540 },
      { left: 48, right: 16 },
    );
    const [first, second, third] = boxes;
    if (!first || !second || !third) throw new Error('expected three panels');
    expect(first.height).toBeGreaterThan(second.height);
    expect(second.height).toBeGreaterThan(third.height);
    expect(second.top).toBeGreaterThanOrEqual(first.top + first.height);
    expect(height).toBeLessThanOrEqual(540);
    expect(height).toBeGreaterThan(530);
  });

  it('are never too low to be readable: eight need more than the available height', () => {
    const eight = Array.from({ length: 8 }, () => panel(1));
    const needed = neededHeight(eight);
    expect(needed).toBeGreaterThan(700);
    expect(layout(eight, { width: 300, height: 400 }, rooms).height).toBe(needed);
    expect(layout(eight, { width: 300, height: needed }, rooms).height).toBe(needed);
  });

  it('are at least 300 pixels together', () => {
    expect(minChartHeight).toBe(300);
    expect(layout([panel(1)], { width: 300, height: 100 }, rooms).height).toBe(300);
    expect(neededHeight([])).toBe(300);
  });
});

it('converts a time to its position and back', () => {
  const geometry = layout([panel(1)], { width: 864, height: 400 }, { left: 48, right: 100 });
  const window = { from: 1000, to: 2000 };
  expect(geometry.width).toBe(716);
  expect(xOf(1000, window, geometry)).toBe(48);
  expect(xOf(2000, window, geometry)).toBe(48 + geometry.width);
  expect(timeAt(xOf(1234, window, geometry), window, geometry)).toBeCloseTo(1234);
  expect(yOf(5, { min: 0, max: 10, step: 5 }, { top: 20, height: 100 })).toBe(70);
});
