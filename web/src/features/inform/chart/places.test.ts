import { describe, expect, it } from 'vitest';
import { layout } from './geometry';
import type { Panel } from './panels';
import { type Lines, placed, reach, startsFrom, trailOf, type Wanted, widthOf } from './places';

const box = { top: 20, height: 100 };
const span = { from: 0, to: 100 };
const geometry = { left: 0, width: 100, boxes: [box], height: 150 };
const panel = (points: [number, number][], change: Partial<Panel> = {}): Panel => ({
  unit: '',
  traces: [{ sign: 'a', name: 'A', unit: '', precision: undefined, color: 0, points, marks: [] }],
  scale: { min: 0, max: 100, step: 50 },
  limits: [],
  ...change,
});
const trail = (of: Panel, marks: [number, number][] = []) => {
  const [trace] = of.traces;
  if (!trace) throw new Error('no trace');
  return trailOf({ ...trace, marks }, of, box, geometry, span);
};
const none: Lines = { trails: [], across: [], upright: [] };
/** Words 30 px wide that would stand at the right, at one of some heights. */
const words = (...heights: number[]): Wanted => ({
  width: 30,
  starts: startsFrom(100, 30, geometry),
  heights: () => heights,
});

describe('a line', () => {
  it('is as high as its readings and what is between them', () => {
    const rising = trail(
      panel([
        [20, 0],
        [60, 100],
      ]),
    );
    expect(reach(rising, 0, 10)).toBeUndefined();
    expect(reach(rising, 30, 40)).toEqual({ top: expect.closeTo(67.5, 5), bottom: expect.closeTo(95, 5) });
    expect(reach(rising, 0, 100)).toEqual({ top: 20, bottom: 120 });
  });

  it('that stands in steps goes up where it changes only', () => {
    const step = trail(
      panel(
        [
          [0, 0],
          [50, 100],
        ],
        { labels: ['Off', 'On'] },
      ),
    );
    expect(reach(step, 0, 40)).toEqual({ top: 120, bottom: 120 });
    expect(reach(step, 45, 55)).toEqual({ top: 20, bottom: 120 });
  });

  it('is wider where a reading is marked', () => {
    expect(reach(trail(panel([]), [[50, 50]]), 40, 60)).toEqual({ top: 64, bottom: 76 });
  });
});

describe('words', () => {
  it('stand where they are to, when nothing is there', () => {
    expect(placed([words(60)], none, box)).toEqual([{ x: 70, y: 60 }]);
  });

  it('take the other side of their line, and then room to the left, before a line crosses them', () => {
    expect(placed([words(60, 80)], { ...none, across: [63] }, box)).toEqual([{ x: 70, y: 80 }]);
    expect(placed([words(60, 80)], { ...none, upright: [75] }, box)).toEqual([{ x: 34, y: 60 }]);
    expect(placed([words(60, 80, 45, 95)], { ...none, across: [60, 80] }, box)).toEqual([{ x: 70, y: 45 }]);
    const falling = trail(
      panel([
        [60, 60],
        [100, 60],
      ]),
    );
    expect(placed([words(60)], { ...none, trails: [falling] }, box)).toEqual([{ x: 22, y: 60 }]);
  });

  it('stand beside each other rather than on each other', () => {
    expect(placed([words(60), words(60)], none, box)).toEqual([
      { x: 70, y: 60 },
      { x: 34, y: 60 },
    ]);
  });

  it('stand where the least is in the way, when something is everywhere, and never outside the plot', () => {
    expect(placed([words(60, 80)], { ...none, across: [55, 60, 80] }, box)).toEqual([{ x: 70, y: 80 }]);
    expect(placed([words(0)], none, box)).toEqual([{ x: 70, y: 25 }]);
    expect(placed([words(500)], none, box)).toEqual([{ x: 70, y: 113 }]);
  });

  it('begin within the plot, however narrow it is', () => {
    const narrow = layout([panel([])], 60, true);
    expect(startsFrom(44, 300, narrow)).toEqual([narrow.left + 4]);
    expect(widthOf('ab 告警')).toBe(45);
  });
});
