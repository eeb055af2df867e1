import { expect, it } from 'vitest';
import { estimateWidth } from '@/ui/chart/measure';
import type { Attribute } from './attributes';
import { layout, yOf } from './geometry';
import { placeNames } from './labels';
import { modelOf } from './model';
import type { PreparedLine } from './preparedLines';

const window = { from: 0, to: 1000 };
const size = { width: 600, height: 300 };
const attribute = (id: string, name: string): Attribute => ({ id, name, unit: '%', precision: 1, kind: 'line' });
const prepared = (values: readonly number[], gaps: PreparedLine['gaps'] = []): PreparedLine => ({
  line: {
    times: Float64Array.from(values, (_, at) => (at * 1000) / (values.length - 1)),
    values: Float64Array.from(values),
  },
  gaps,
  isExact: () => true,
});

function names(lines: Record<string, PreparedLine>) {
  const attributes = Object.keys(lines).map((name) => attribute(name, name));
  const colors = new Map(attributes.map(({ id }, index) => [id, index]));
  const parts = { lines: new Map(Object.entries(lines)), other: null, colors, window, width: 500, steps: 4 };
  const { panels } = modelOf(attributes, parts);
  const geometry = layout(panels, size, 40);
  const [panel] = panels;
  const [box] = geometry.boxes;
  if (!panel || !box) throw new Error('no panel');
  return { geometry, box, panel, names: placeNames(panel, box, geometry, window, estimateWidth) };
}

it('places a name at its line’s end, just above the line', () => {
  const { geometry, box, panel, names: found } = names({ Humidity: prepared([0, 50, 50, 50, 50, 50, 50, 100, 50]) });
  const [name] = found;
  const end = geometry.left + geometry.width;
  expect(name?.words).toBe('Humidity');
  const width = estimateWidth('Humidity');
  expect((name?.x ?? 0) + width).toBeLessThanOrEqual(end);
  // Neither on the peak before the end nor far from the line.
  const line = yOf(50, panel.scale, box);
  expect(Math.abs((name?.y ?? 0) - line)).toBeLessThanOrEqual(60);
});

it('keeps a name clear of its own and other lines', () => {
  const falling = Array.from({ length: 101 }, (_, at) => 100 - at);
  const {
    geometry,
    box,
    panel,
    names: found,
  } = names({
    'Air humidity': prepared(falling),
    'Soil moisture': prepared(falling.map((value) => value - 12)),
  });
  expect(found).toHaveLength(2);
  for (const { words, x, y } of found) {
    expect(x + estimateWidth(words)).toBeLessThanOrEqual(geometry.left + geometry.width);
    for (const shift of [0, 12]) {
      for (let at = x; at <= x + estimateWidth(words); at += 1) {
        const share = (at - geometry.left) / geometry.width;
        expect(Math.abs(yOf(100 - shift - 100 * share, panel.scale, box) - y)).toBeGreaterThan(5);
      }
    }
  }
});

it('places a name where its line ends, if that is before the window’s end', () => {
  const { geometry, names: found } = names({
    Early: { ...prepared([10, 20]), line: { times: Float64Array.of(0, 400), values: Float64Array.of(10, 20) } },
  });
  expect((found[0]?.x ?? 0) + estimateWidth('Early')).toBeLessThanOrEqual(geometry.left + 0.4 * geometry.width);
  expect(names({ None: prepared([]) }).names).toEqual([]);
});
