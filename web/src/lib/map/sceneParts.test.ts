import { describe, expect, it } from 'vitest';
import type { Point } from './hull';
import { sceneParts } from './sceneParts';

const square = (x: number, y: number, size = 40): Point[] => [
  { x, y },
  { x: x + size, y },
  { x, y: y + size },
  { x: x + size, y: y + size },
];

describe('the parts of scenes', () => {
  it('are whole where no outline crosses another scene', () => {
    const [a, b] = [square(0, 0), square(100, 0)];
    expect(sceneParts([a, b])).toEqual([[a], [b]]);
  });

  it('leave a device that stands beyond another scene outside of the outline', () => {
    const field = square(0, 0);
    const beyond = { x: 260, y: 20 };
    const between = square(120, 0);
    const [parts, other] = sceneParts([[...field, beyond], between]);
    expect(parts?.map((part) => part.length)).toEqual([4, 1]);
    expect(parts?.[1]).toEqual([beyond]);
    expect(other).toHaveLength(1);
  });

  it('hold every device once', () => {
    const scenes = [[...square(0, 0), { x: 300, y: 300 }], square(150, 150), [...square(80, 80), { x: 400, y: 0 }]];
    const parts = sceneParts(scenes);
    expect(parts.map((own) => own.flat().length)).toEqual(scenes.map(({ length }) => length));
  });

  it('are whole for scenes that are interwoven: rings around single devices would tell nothing', () => {
    const rows = (from: number) => [0, 20, 40, 60, 80].map((y) => ({ x: from + (y % 40), y: y + from }));
    expect(sceneParts([rows(0), rows(10)]).map((own) => own.length)).toEqual([1, 1]);
  });
});
