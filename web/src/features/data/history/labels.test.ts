import { describe, expect, it } from 'vitest';
import type { PropertyKind } from '@/lib/device/propertyKind';
import { rowHeight } from '@/ui/chart/labelPositions';
import { estimateWidth } from '@/ui/chart/measure';
import type { Attribute } from './attributes';
import { layout, yOf } from './geometry';
import { gutterWidth, leaderWidth, needsLeader, placeNames } from './labels';
import { modelOf } from './model';
import type { PreparedLine } from './preparedLines';

const window = { from: 0, to: 1000 };
const size = { width: 600, height: 300 };
const attribute = (name: string, kind: PropertyKind = 'line'): Attribute => ({
  id: name,
  name,
  unit: '%',
  precision: 1,
  kind,
});
const prepared = (values: readonly number[], times?: readonly number[]): PreparedLine => ({
  line: {
    times: Float64Array.from(values, (_, at) => times?.[at] ?? (at * 1000) / (values.length - 1)),
    values: Float64Array.from(values),
  },
  gaps: [],
  isExact: () => true,
});

function panelsOf(lines: Record<string, PreparedLine>, kind?: PropertyKind) {
  const attributes = Object.keys(lines).map((name) => attribute(name, kind));
  const colors = new Map(attributes.map(({ id }, index) => [id, index]));
  const parts = { lines: new Map(Object.entries(lines)), other: null, colors, window, width: 500, steps: 4 };
  return modelOf(attributes, parts).panels;
}

function names(lines: Record<string, PreparedLine>, kind?: PropertyKind) {
  const panels = panelsOf(lines, kind);
  const [panel] = panels;
  const right = gutterWidth(panels, size.width, estimateWidth);
  const [box] = layout(panels, size, { left: 40, right }).boxes;
  if (!panel || !box) throw new Error('no panel');
  return { box, panel, right, names: placeNames(panel, box, right, window, estimateWidth) };
}

describe('the gutter', () => {
  it('is as wide as the longest name with its leader, at most a share of the chart, at least the free room', () => {
    const widthOf = (...found: string[]) =>
      gutterWidth(panelsOf(Object.fromEntries(found.map((name) => [name, prepared([1, 2])]))), 600, estimateWidth);
    expect(widthOf('Soil', 'Humidity')).toBe(estimateWidth('Humidity') + leaderWidth + 2);
    expect(widthOf('Soil moisture at a depth of 30 cm')).toBe(132);
    expect(widthOf()).toBe(16);
    expect(gutterWidth(panelsOf({ Pump: prepared([0, 1]) }, 'step'), 600, estimateWidth)).toBe(16);
  });

  it('cuts only a name that is longer than it', () => {
    const { right, names: found } = names({
      'Soil moisture at a depth of 30 cm': prepared([1, 2]),
      Humidity: prepared([50, 60]),
    });
    expect(found[1]?.words).toBe('Humidity');
    expect(found[0]?.words).toMatch(/^Soil moist.*…$/);
    expect(estimateWidth(found[0]?.words ?? '')).toBeLessThanOrEqual(right - leaderWidth);
  });
});

describe('a name', () => {
  it('stands at the height of its line’s end', () => {
    const { box, panel, names: found } = names({ Humidity: prepared([0, 50, 100, 50]), Soil: prepared([90, 10]) });
    expect(found.map(({ words, y }) => [words, y])).toEqual([
      ['Humidity', yOf(50, panel.scale, box)],
      ['Soil', yOf(10, panel.scale, box)],
    ]);
    expect(found.some(needsLeader)).toBe(false);
  });

  it('stands at the height where the line leaves the window', () => {
    const {
      box,
      panel,
      names: found,
    } = names({
      Humidity: prepared([0, 100, 10, 30], [0, 500, 900, 1100]),
    });
    expect(found[0]?.end).toBeCloseTo(yOf(20, panel.scale, box));
    // Bars and dots are not joined: the last one in the window counts.
    const dots = names({ Wind: prepared([0, 10, 350], [0, 900, 1100]) }, 'direction');
    expect(dots.names[0]?.end).toBeCloseTo(yOf(10, dots.panel.scale, dots.box));
  });

  it('keeps its distance from the others, in the order of the lines, and has a leader if it is far away', () => {
    const { names: found } = names({
      A: prepared([0, 50]),
      B: prepared([0, 50.2]),
      C: prepared([0, 50.4]),
      D: prepared([0, 50.6]),
      Low: prepared([0, 0]),
    });
    const heights = found.map(({ y }) => y);
    for (const [index, y] of heights.slice(0, 3).entries()) {
      expect(y - (heights[index + 1] ?? y)).toBeGreaterThanOrEqual(rowHeight - 0.01);
    }
    expect(found.map(needsLeader)).toEqual([true, false, false, true, false]);
  });

  it('stands where a line ends early, and is absent if the window shows nothing of the line', () => {
    const { box, panel, names: found } = names({ Early: prepared([10, 20], [0, 400]) });
    expect(found[0]?.y).toBe(yOf(20, panel.scale, box));
    expect(names({ None: prepared([]) }).names).toEqual([]);
    expect(names({ Before: prepared([1, 2], [-200, -100]) }).names).toEqual([]);
  });
});
