import { describe, expect, it } from 'vitest';
import { formatNumber } from '@/lib/format/number';
import { languageCodes } from '@/lib/i18n/languages';
import { leftRoom, tickTexts } from './axes';
import { estimateWidth, truncateToWidth } from './measure';
import { scaleFor } from './scale';

describe.each(languageCodes)('the numbers of a chart, in %s', (language) => {
  const write = (value: number, decimals?: number) => formatNumber(value, language, decimals);
  it.each([
    ['120,000 lx', 0, 120_000],
    ['−50,000', -50_000, 0],
    ['0.0001', 0.00005, 0.00015],
    ['a trillion', -1e12, 1e12],
  ])('get exactly the room that they need: %s', (_, low, high) => {
    const scale = scaleFor(low, high, 4);
    const room = leftRoom([{ scale, numbers: true }], write, estimateWidth);
    const widest = Math.max(...tickTexts(scale, write).map((text) => estimateWidth(text)));
    expect(room).toBeGreaterThanOrEqual(widest + 8);
    expect(room).toBeLessThan(Math.max(32, widest + 8) + 8);
  });
});

it('gives all plots the room of their longest number, and none for step plots', () => {
  const write = (value: number) => String(value);
  const plot = (max: number, numbers = true) => ({ scale: scaleFor(0, max, 4), numbers });
  const alone = leftRoom([plot(120_000)], write, estimateWidth);
  expect(leftRoom([plot(8), plot(120_000)], write, estimateWidth)).toBe(alone);
  expect(leftRoom([plot(8), plot(120_000, false)], write, estimateWidth)).toBe(32);
});

it('writes the numbers of an axis in order, including its ends', () => {
  const write = (value: number, decimals?: number) => formatNumber(value, 'en-us', decimals);
  expect(tickTexts(scaleFor(0, 120_000, 4), write)).toEqual(['0', '50,000', '100,000', '150,000']);
  expect(tickTexts(scaleFor(0.00005, 0.00015, 2), write)).toEqual(['0.00005', '0.00010', '0.00015']);
});

it('truncates words with an ellipsis', () => {
  expect(truncateToWidth('thunderstorm', 200, estimateWidth)).toBe('thunderstorm');
  expect(truncateToWidth('thunder and hail', 63, estimateWidth)).toBe('thunder…');
  expect(truncateToWidth('雷阵雨伴有冰雹', 50, estimateWidth)).toBe('雷阵雨…');
});
