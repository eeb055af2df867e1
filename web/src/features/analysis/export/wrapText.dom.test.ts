import { expect, it } from 'vitest';
import { wrapText } from './wrapText';

// Without a canvas, letters are 7 pixels wide and Chinese characters 12.
const wrap = (text: string, width: number) => wrapText(text, width, '12px sans-serif');

it('breaks between words, and keeps a wide word whole', () => {
  expect(wrap('Orchard mast, south field', 100)).toEqual(['Orchard mast,', 'south field']);
  expect(wrap('Orchardmastsouth field', 60)).toEqual(['Orchardmastsouth', 'field']);
  expect(wrap('Orchard', 100)).toEqual(['Orchard']);
});

it('breaks between Chinese characters', () => {
  expect(wrap('果园气象站空气温度', 60)).toEqual(['果园气象站', '空气温度']);
});
