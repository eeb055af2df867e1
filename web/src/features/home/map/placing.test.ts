import { describe, expect, it } from 'vitest';
import type { Point } from '@/lib/map/hull';
import { placeLabels } from '@/lib/map/labels';
import { isDirection, nextInDirection } from './roving';
import { makeRoom, markSpacing, spread } from './spread';

describe('the arrow keys', () => {
  const points = [
    { x: 100, y: 10 }, // right, a little below
    { x: 40, y: 60 }, // below, right
    { x: 0, y: 50 }, // straight below
    { x: -30, y: 0 }, // left
    { x: 20, y: 300 },
  ];
  const here = { x: 0, y: 0 };

  it.each([
    ['ArrowRight', 0],
    ['ArrowDown', 2],
    ['ArrowLeft', 3],
    ['ArrowUp', -1],
    ['Enter', -1],
  ])('%s goes to point %i', (key, expected) => {
    expect(nextInDirection(points, here, key)).toBe(expected);
  });

  it('lead back', () => {
    expect(nextInDirection([here, ...points.slice(1)], { x: 100, y: 10 }, 'ArrowLeft')).toBe(0);
  });

  it('are four', () => {
    expect(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Enter', 'Tab'].filter(isDirection)).toHaveLength(4);
  });
});

describe('marks that would touch', () => {
  const nearest = (points: readonly Point[], offsets: readonly Point[]) => {
    const drawn = points.map(({ x, y }, i) => ({ x: x + (offsets[i]?.x ?? 0), y: y + (offsets[i]?.y ?? 0) }));
    let least = Number.POSITIVE_INFINITY;
    drawn.forEach((a, i) => {
      for (const b of drawn.slice(i + 1)) least = Math.min(least, Math.hypot(a.x - b.x, a.y - b.y));
    });
    return least;
  };
  const farthest = (offsets: readonly Point[]) => Math.max(...offsets.map(({ x, y }) => Math.hypot(x, y)));
  /** The same pseudo-random numbers each time, spread over a square. */
  const scattered = (count: number, width: number) => {
    let seed = 7;
    const next = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return (seed / 2_147_483_647) * width;
    };
    return Array.from({ length: count }, () => ({ x: next(), y: next() }));
  };

  it('are spread; marks that touch none keep their position', () => {
    const place = { x: 10.2, y: 20.1 };
    const points = [place, { x: 80, y: 80 }, { x: 10.4, y: 19.9 }, place];
    const offsets = spread(points);
    expect(offsets.slice(0, 2)).toEqual([
      { x: 0, y: 0 },
      { x: 0, y: 0 },
    ]);
    expect(nearest(points, offsets)).toBeGreaterThanOrEqual(markSpacing - 0.1);
  });

  it('are spread if their positions are near, not only if they are equal', () => {
    const row = Array.from({ length: 12 }, (_, i) => ({ x: 100 + i * 6, y: 50 }));
    const offsets = spread(row);
    expect(nearest(row, offsets)).toBeGreaterThanOrEqual(markSpacing - 0.1);
    expect(farthest(offsets)).toBeLessThan(3 * markSpacing);
  });

  it.each([
    ['at one place', Array.from({ length: 2000 }, () => ({ x: 0, y: 0 })), 500],
    ['on one field', scattered(2000, 150), 600],
    ['on a whole screen', scattered(2000, 1200), 150],
  ])(
    'are spread for two thousand %s: none touches another, none is far away, and the result is deterministic',
    (_, points, most) => {
      const offsets = spread(points);
      expect(nearest(points, offsets)).toBeGreaterThanOrEqual(markSpacing - 0.1);
      expect(farthest(offsets)).toBeLessThan(most);
      expect(spread(points)).toEqual(offsets);
    },
  );
});

describe('a cluster', () => {
  it('is moved away from the chosen device', () => {
    const chosen = { x: 100, y: 100 };
    for (const cluster of [
      { x: 110, y: 95 },
      { x: 100, y: 100 },
      { x: 101, y: 100.5 },
    ]) {
      const offset = makeRoom(cluster, chosen);
      expect(Math.hypot(cluster.x + offset.x - 100, cluster.y + offset.y - 100)).toBeCloseTo(34, 6);
    }
    expect(makeRoom({ x: 140, y: 100 }, chosen)).toEqual({ x: 0, y: 0 });
  });
});

describe('names on the map', () => {
  const label = (id: number, x: number, y: number, size: number, ...others: { x: number; y: number }[]) => ({
    id,
    text: 'North orchard · 64',
    spots: [{ x, y }, ...others],
    size,
  });

  it('do not overlap; the larger scene is labelled first', () => {
    const placed = placeLabels([label(1, 0, 0, 50), label(2, 20, 5, 200), label(3, 300, 0, 10)], []);
    expect(placed.map(({ id }) => id)).toEqual([2, 3]);
  });

  it('take their next position if a name or a mark is in the way', () => {
    const placed = placeLabels([label(1, 0, 0, 200), label(2, 0, 4, 50, { x: 0, y: 60 })], []);
    expect(placed.map(({ id, y }) => [id, y])).toEqual([
      [1, 0],
      [2, 60],
    ]);
    expect(placeLabels([label(1, 0, 0, 50, { x: 0, y: 80 })], [{ x: 10, y: 10 }])[0]?.y).toBe(80);
  });

  it('are placed behind marks if there is no free position', () => {
    const marks = [
      { x: 0, y: 0 },
      { x: 0, y: 80 },
    ];
    expect(placeLabels([label(1, 0, 0, 50, { x: 0, y: 80 })], marks)[0]?.y).toBe(0);
  });
});
