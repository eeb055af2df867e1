import { describe, expect, it } from 'vitest';
import { convexHull, type Point, roundedHull } from './hull';

const square: Point[] = [
  { x: 0, y: 0 },
  { x: 10, y: 0 },
  { x: 10, y: 10 },
  { x: 0, y: 10 },
];

const sorted = (points: Point[]) => [...points].sort((a, b) => a.x - b.x || a.y - b.y);

/** The distance of a point from an area: 0 within. */
function distanceToHull(corners: Point[], { x, y }: Point): number {
  if (corners.length === 1) return Math.hypot(x - (corners[0]?.x ?? 0), y - (corners[0]?.y ?? 0));
  let least = Number.POSITIVE_INFINITY;
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % corners.length] ?? a;
    const length = (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
    const along = Math.min(1, Math.max(0, ((x - a.x) * (b.x - a.x) + (y - a.y) * (b.y - a.y)) / length));
    least = Math.min(least, Math.hypot(x - a.x - along * (b.x - a.x), y - a.y - along * (b.y - a.y)));
  });
  return least;
}

describe('convexHull', () => {
  it('keeps the corners and drops points within or on an edge', () => {
    const hull = convexHull([...square, { x: 5, y: 5 }, { x: 5, y: 0 }, { x: 10, y: 3 }]);
    expect(sorted(hull)).toEqual(sorted(square));
  });

  it('does not count a point twice', () => {
    expect(convexHull([...square, ...square])).toHaveLength(4);
    expect(convexHull([square[0], square[0]] as Point[])).toEqual([square[0]]);
  });

  it('has one direction of rotation', () => {
    const points = Array.from({ length: 60 }, (_, i) => ({ x: Math.sin(i * 7.3) * 40, y: Math.cos(i * 3.1) * 25 }));
    const hull = convexHull(points);
    hull.forEach((a, i) => {
      const b = hull[(i + 1) % hull.length] as Point;
      const c = hull[(i + 2) % hull.length] as Point;
      expect((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)).toBeGreaterThan(0);
    });
    for (const point of points) {
      const inside = hull.every((a, i) => {
        const b = hull[(i + 1) % hull.length] as Point;
        return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) > -1e-9;
      });
      expect(inside).toBe(true);
    }
  });

  it('of points on a line is its two ends', () => {
    const line = [0, 1, 2, 3].map((i) => ({ x: i, y: 2 * i }));
    expect(sorted(convexHull(line))).toEqual([line[0], line[3]]);
  });

  it('of no points is empty', () => {
    expect(convexHull([])).toEqual([]);
    expect(roundedHull([], 5)).toEqual([]);
  });
});

describe('roundedHull', () => {
  const triangle = [
    { x: 0, y: 0 },
    { x: 40, y: 5 },
    { x: 12, y: 30 },
  ];

  it.each([
    ['one point', [{ x: 3, y: 4 }]],
    [
      'two points',
      [
        { x: 0, y: 0 },
        { x: 20, y: 10 },
      ],
    ],
    ['a triangle', triangle],
    ['a square', square],
  ])('keeps its distance around %s', (_, points) => {
    const outline = roundedHull(points, 7);
    const corners = convexHull(points);
    expect(outline.length).toBeGreaterThan(8);
    for (const point of outline) expect(distanceToHull(corners, point)).toBeCloseTo(7, 6);
  });

  it('has no sharp corners', () => {
    const outline = roundedHull(triangle, 7).filter((point, i, all) => {
      const before = all[(i + all.length - 1) % all.length] as Point;
      return Math.hypot(point.x - before.x, point.y - before.y) > 1e-6;
    });
    outline.forEach((a, i) => {
      const b = outline[(i + 1) % outline.length] as Point;
      const c = outline[(i + 2) % outline.length] as Point;
      const turn = Math.atan2(c.y - b.y, c.x - b.x) - Math.atan2(b.y - a.y, b.x - a.x);
      const bent = Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn)));
      expect(bent).toBeLessThan(Math.PI / 11);
    });
  });

  it('goes around once', () => {
    const outline = roundedHull(square, 3);
    let turned = 0;
    outline.forEach((a, i) => {
      const b = outline[(i + 1) % outline.length] as Point;
      const [from, to] = [Math.atan2(a.y - 5, a.x - 5), Math.atan2(b.y - 5, b.x - 5)];
      turned += Math.atan2(Math.sin(to - from), Math.cos(to - from));
    });
    expect(turned).toBeCloseTo(2 * Math.PI, 6);
  });
});
