import { expect, it } from 'vitest';
import { firstCorrected, readPieces, splice } from './series';

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

it('keeps the numbers as they arrived of corrected values, also where finer readings replace coarser ones', () => {
  const { lines } = readPieces(
    [
      { times: [1000, 1000, 1000], values: { air: [20, 20.9, 21], soil: [1, 2, 3] }, raw: { air: [null, 21.4, 21.5] } },
      { times: [5000], values: { air: [19] } },
    ],
    ['air', 'soil'],
  );
  const [air, soil] = [lines.get('air'), lines.get('soil')];
  expect(air?.raw).toEqual(Float64Array.of(Number.NaN, 21.4, 21.5, Number.NaN));
  expect(soil).not.toHaveProperty('raw');
  expect(firstCorrected([soil, air].filter((line) => line !== undefined))).toBe(2000);
  expect(firstCorrected(soil ? [soil] : [])).toBeUndefined();
  if (!air || !soil) throw new Error('both were requested');
  const fine = { times: Float64Array.of(2000, 2500), values: Float64Array.of(20.9, 20.8) };
  expect(splice(air, fine, { from: 2000, to: 2999 })).toEqual({
    times: Float64Array.of(1000, 2000, 2500, 3000, 5000),
    values: Float64Array.of(20, 20.9, 20.8, 21, 19),
    raw: Float64Array.of(Number.NaN, Number.NaN, Number.NaN, 21.5, Number.NaN),
  });
});
