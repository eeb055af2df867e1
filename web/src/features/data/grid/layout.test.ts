import { describe, expect, it } from 'vitest';
import { columnsFor, layout, type Measures, type Place } from './layout';

const measures = (change: Partial<Measures> = {}): Measures => ({
  width: 872,
  cell: 276,
  gap: 16,
  leastColumn: 270,
  video: 568,
  singleVideo: 220,
  videosLast: false,
  ...change,
});

const overlap = (a: Place, b: Place) =>
  a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

describe('the columns', () => {
  it('are as many as fit', () => {
    expect([1392, 872, 856, 500, 270, 100].map((width) => columnsFor(measures({ width })))).toEqual([4, 3, 3, 1, 1, 1]);
    expect(columnsFor(measures({ width: 3 * 270 + 2 * 16 - 1 }))).toBe(2);
  });
});

describe('the layout of the design', () => {
  const { video, sensor, height } = layout(1, 5, measures());

  it('has a camera exactly two cards high and wide, with two sensors beside it', () => {
    const column = (872 - 2 * 16) / 3;
    expect(video(0)).toEqual({ top: 0, left: 0, width: 2 * column + 16, height: 568 });
    expect(sensor(0)).toEqual({ top: 0, left: 2 * (column + 16), width: column, height: 276 });
    expect(sensor(1)).toMatchObject({ top: 292, left: 2 * (column + 16) });
    expect(sensor(2)).toMatchObject({ top: 584, left: 0 });
    expect(sensor(4)).toMatchObject({ top: 584, left: 2 * (column + 16) });
    expect(height).toBe(3 * 292 - 16);
  });
});

describe('one column', () => {
  it('has cameras first, but last on a phone', () => {
    const first = layout(1, 2, measures({ width: 360 }));
    expect([first.video(0).top, first.sensor(0).top, first.sensor(1).top, first.height]).toEqual([0, 236, 528, 804]);
    const last = layout(1, 2, measures({ width: 360, videosLast: true }));
    expect([last.sensor(0).top, last.sensor(1).top, last.video(0).top, last.height]).toEqual([0, 292, 584, 804]);
  });
});

describe('an empty grid', () => {
  it('has no height', () => {
    for (const width of [300, 900]) {
      const { height, within } = layout(0, 0, measures({ width }));
      expect(height).toBe(0);
      expect(within(0, 1000)).toEqual({ videos: { from: 0, to: 0 }, sensors: { from: 0, to: 0 } });
    }
  });
});

// For every width and mixture, the rendered cards are those in view, no card overlaps another, and
// the ranges omit none.
describe.each([300, 600, 872, 1160, 1450, 1740])('%i pixels', (width) => {
  it.each([
    [0, 7],
    [1, 0],
    [1, 1],
    [1, 20],
    [2, 3],
    [3, 40],
    [5, 2],
    [7, 100],
  ])('holds %i cameras and %i sensors', (videos, sensors) => {
    const own = measures({ width });
    const grid = layout(videos, sensors, own);
    const places = [
      ...Array.from({ length: videos }, (_, i) => ({ kind: 'video' as const, i, ...grid.video(i) })),
      ...Array.from({ length: sensors }, (_, i) => ({ kind: 'sensor' as const, i, ...grid.sensor(i) })),
    ];
    for (const [i, place] of places.entries()) {
      expect(place.left).toBeGreaterThanOrEqual(0);
      expect(place.left + place.width).toBeLessThanOrEqual(width + 0.01);
      expect(place.top + place.height).toBeLessThanOrEqual(grid.height);
      for (const other of places.slice(i + 1)) {
        expect(overlap({ ...place, width: place.width - 0.01 }, other), `${place.kind} ${place.i}`).toBe(false);
      }
    }
    expect(Math.max(...places.map(({ top, height }) => top + height))).toBe(grid.height);
    for (let top = 0; top < grid.height; top += 97) {
      const bottom = top + 400;
      const range = grid.within(top, bottom);
      for (const place of places) {
        if (place.top >= bottom || place.top + place.height <= top) continue;
        const { from, to } = place.kind === 'video' ? range.videos : range.sensors;
        expect(place.i >= from && place.i < to, `${place.kind} ${place.i} at ${top}`).toBe(true);
      }
      // Little more than what is in view: at most one row above and one below.
      const drawn = range.sensors.to - range.sensors.from;
      expect(drawn).toBeLessThanOrEqual(columnsFor(own) * (Math.ceil(400 / grid.step) + 1));
    }
  });
});

it('costs the same for ten thousand cards', () => {
  const grid = layout(40, 10_000, measures());
  const { sensors, videos } = grid.within(grid.height - 900, grid.height);
  expect(sensors.to).toBe(10_000);
  expect(sensors.to - sensors.from).toBeLessThanOrEqual(15);
  expect(videos).toEqual({ from: 40, to: 40 });
});
