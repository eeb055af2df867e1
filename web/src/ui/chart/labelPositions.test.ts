import { describe, expect, it } from 'vitest';
import {
  candidateStarts,
  type LabelObstacles,
  type LabelRequest,
  lineExtentOf,
  type PlotPoint,
  positionLabels,
  verticalExtent,
} from './labelPositions';

const box = { top: 20, height: 100 };
const geometry = { left: 0, width: 100 };
/** As fractions of the width and the height, from the bottom. */
const spots = (points: [number, number][]) => points.map(([x, y]): PlotPoint => [x, 120 - y]);
const trail = (points: [number, number][], marks: [number, number][] = [], stepped = false) =>
  lineExtentOf(spots(points), geometry, { stepped, marks: spots(marks) });
const noObstacles: LabelObstacles = { trails: [], across: [], upright: [] };
/** A label 30 px wide for the right edge, at one of some heights. */
const words = (...heights: number[]): LabelRequest => ({
  width: 30,
  starts: candidateStarts(100, 30, geometry),
  heights: () => heights,
});

describe('a line', () => {
  it('extends over its readings and the segments between them', () => {
    const rising = trail([
      [20, 0],
      [60, 100],
    ]);
    expect(verticalExtent(rising, 0, 10)).toBeUndefined();
    expect(verticalExtent(rising, 30, 40)).toEqual({ top: expect.closeTo(67.5, 5), bottom: expect.closeTo(95, 5) });
    expect(verticalExtent(rising, 0, 100)).toEqual({ top: 20, bottom: 120 });
  });

  it('drawn in steps rises only where its value changes', () => {
    const steps: [number, number][] = [
      [0, 0],
      [50, 100],
    ];
    const step = trail(steps, [], true);
    expect(verticalExtent(step, 0, 40)).toEqual({ top: 120, bottom: 120 });
    expect(verticalExtent(step, 45, 55)).toEqual({ top: 20, bottom: 120 });
  });

  it('has no extent without readings', () => {
    const gap = trail([
      [0, 50],
      [20, 50],
      [30, Number.NaN],
      [60, 50],
      [100, 50],
    ]);
    expect(verticalExtent(gap, 25, 55)).toBeUndefined();
    expect(verticalExtent(gap, 0, 100)).toEqual({ top: 70, bottom: 70 });
  });

  it('is higher at a marked reading', () => {
    expect(verticalExtent(trail([], [[50, 50]]), 40, 60)).toEqual({ top: 64, bottom: 76 });
  });
});

describe('labels', () => {
  it('take their best position when it is free', () => {
    expect(positionLabels([words(60)], noObstacles, box)).toEqual([{ x: 70, y: 60 }]);
  });

  it('take the other side of their line, then room to the left, before a line crosses them', () => {
    expect(positionLabels([words(60, 80)], { ...noObstacles, across: [63] }, box)).toEqual([{ x: 70, y: 80 }]);
    expect(positionLabels([words(60, 80)], { ...noObstacles, upright: [75] }, box)).toEqual([{ x: 34, y: 60 }]);
    expect(positionLabels([words(60, 80, 45, 95)], { ...noObstacles, across: [60, 80] }, box)).toEqual([
      { x: 70, y: 45 },
    ]);
    const falling = trail([
      [60, 60],
      [100, 60],
    ]);
    expect(positionLabels([words(60)], { ...noObstacles, trails: [falling] }, box)).toEqual([{ x: 22, y: 60 }]);
  });

  it('avoid each other', () => {
    expect(positionLabels([words(60), words(60)], noObstacles, box)).toEqual([
      { x: 70, y: 60 },
      { x: 34, y: 60 },
    ]);
  });

  it('take the position with the fewest obstacles when none is free, never outside the plot', () => {
    expect(positionLabels([words(60, 80)], { ...noObstacles, across: [55, 60, 80] }, box)).toEqual([{ x: 70, y: 80 }]);
    expect(positionLabels([words(0)], noObstacles, box)).toEqual([{ x: 70, y: 25 }]);
    expect(positionLabels([words(500)], noObstacles, box)).toEqual([{ x: 70, y: 113 }]);
  });

  it('start within the plot, however narrow it is', () => {
    expect(candidateStarts(44, 300, { left: 38, width: 60 })).toEqual([42]);
  });
});
