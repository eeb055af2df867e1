import { expect, it } from 'vitest';
import { readPieces } from './series';

it('joins pieces: times by their differences, missing values left out', () => {
  const { lines, texts } = readPieces(
    [
      { times: [1000, 60, 60], values: { air: [1.5, null, -2], pump: [true, false, null] } },
      { times: [5000, 1], values: { air: [3, 4], mode: ['auto', null] } },
    ],
    ['air', 'pump', 'mode', 'rain'],
  );
  expect([...lines.keys()]).toEqual(['air', 'pump', 'mode', 'rain']);
  expect(lines.get('air')).toEqual({
    times: Float64Array.of(1000, 1120, 5000, 5001),
    values: Float64Array.of(1.5, -2, 3, 4),
    bucket: 0,
  });
  expect(lines.get('pump')).toMatchObject({ times: Float64Array.of(1000, 1060), values: Float64Array.of(1, 0) });
  expect(lines.get('mode')?.times).toHaveLength(0);
  expect(texts.get('mode')).toEqual([{ time: 5000, text: 'auto' }]);
  expect(texts.has('air')).toBe(false);
  // It was requested, and no values came.
  expect(lines.get('rain')?.times).toHaveLength(0);
});

it('keeps the buckets’ length, and has both lines and texts of a property that was a text once', () => {
  const { lines, texts } = readPieces(
    [{ times: [1000, 500, 500], values: { mixed: ['low', 2, 3] }, bucket: 5_400_000 }],
    ['mixed'],
  );
  expect(lines.get('mixed')).toEqual({
    times: Float64Array.of(1500, 2000),
    values: Float64Array.of(2, 3),
    bucket: 5_400_000,
  });
  expect(texts.get('mixed')).toEqual([{ time: 1000, text: 'low' }]);
});
