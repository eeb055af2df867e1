import { describe, expect, it } from 'vitest';
import { type Crop, centredCrop, cropText, moveCrop, withZoom, zoomCrop, zoomOf } from './crop';

const wide = { width: 900, height: 600 };

it('begins with the largest square in the middle', () => {
  expect(centredCrop(wide)).toEqual({ x: 150, y: 0, side: 600 });
  expect(centredCrop({ width: 600, height: 900 })).toEqual({ x: 0, y: 150, side: 600 });
  expect(centredCrop({ width: 40, height: 40 })).toEqual({ x: 0, y: 0, side: 40 });
});

describe('moving', () => {
  it('moves the picture with the finger, so the square moves in the opposite direction', () => {
    expect(moveCrop({ x: 300, y: 200, side: 100 }, wide, 0.5, -0.25)).toEqual({ x: 250, y: 225, side: 100 });
  });

  it('stops at every edge', () => {
    const crop = { x: 300, y: 200, side: 100 };
    expect(moveCrop(crop, wide, 99, 99)).toEqual({ x: 0, y: 0, side: 100 });
    expect(moveCrop(crop, wide, -99, -99)).toEqual({ x: 800, y: 500, side: 100 });
  });
});

describe('zooming', () => {
  it('keeps the point under the finger where it is', () => {
    const crop = { x: 100, y: 100, side: 400 };
    const at = { x: 0.25, y: 0.75 };
    const closer = zoomCrop(crop, wide, 2, at);
    expect(closer.side).toBe(200);
    expect(closer.x + closer.side * at.x).toBe(crop.x + crop.side * at.x);
    expect(closer.y + closer.side * at.y).toBe(crop.y + crop.side * at.y);
  });

  it('is limited to the whole height and to 64 pixels', () => {
    expect(zoomCrop(centredCrop(wide), wide, 0.01).side).toBe(600);
    expect(zoomCrop(centredCrop(wide), wide, 1000).side).toBe(64);
  });

  it('does nothing if the picture is no larger than the minimum', () => {
    const small = { width: 50, height: 40 };
    expect(zoomCrop(centredCrop(small), small, 3)).toEqual(centredCrop(small));
    expect(zoomOf(centredCrop(small), small)).toBe(0);
    expect(withZoom(centredCrop(small), small, 1).side).toBe(40);
  });

  it('reads and sets the slider consistently', () => {
    for (const zoom of [0, 0.25, 0.5, 1]) {
      expect(zoomOf(withZoom(centredCrop(wide), wide, zoom), wide)).toBeCloseTo(zoom, 10);
    }
  });
});

it('never leaves the picture', () => {
  // A fixed sequence of many steps, the same in every run.
  let seed = 7;
  const chance = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
  for (const size of [wide, { width: 301, height: 997 }, { width: 64, height: 65 }, { width: 1, height: 3 }]) {
    let crop: Crop = centredCrop(size);
    for (let step = 0; step < 500; step += 1) {
      crop = moveCrop(crop, size, chance() * 2 - 1, chance() * 2 - 1);
      crop = zoomCrop(crop, size, 0.5 + chance() * 1.5, { x: chance(), y: chance() });
      const [x, y, side] = cropText(crop, size).split(',').map(Number) as [number, number, number];
      expect([x, y, side].every(Number.isInteger)).toBe(true);
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(side).toBeGreaterThanOrEqual(1);
      expect(x + side).toBeLessThanOrEqual(size.width);
      expect(y + side).toBeLessThanOrEqual(size.height);
    }
  }
});
