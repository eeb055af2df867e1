import { describe, expect, it } from 'vitest';
import { degreesText, parseDegrees, parsePair } from './coordinates';

describe('degrees', () => {
  it.each([
    [37.856912, '37.856912'],
    [37.85691249, '37.856912'],
    [-0.5, '-0.5'],
    [27, '27'],
    [1e-7, '0'],
    [undefined, ''],
  ])('%s are shown in a field as %s', (degrees, text) => {
    expect(degreesText(degrees)).toBe(text);
  });

  it.each([
    ['37.856912', 37.856912],
    [' 37,85 ', 37.85],
    ['\u221212.5', -12.5],
    ['+7.', 7],
    ['', null],
    ['   ', null],
    ['abc', undefined],
    ['1.2.3', undefined],
    ['12°', undefined],
    ['1e3', undefined],
    ['-', undefined],
  ])('“%s” means %s', (text, degrees) => {
    expect(parseDegrees(text)).toBe(degrees);
  });
});

describe('two numbers pasted at once', () => {
  it.each([
    ['37.856912, 27.340887', { latitude: 37.856912, longitude: 27.340887 }],
    ['37.85,27.34', { latitude: 37.85, longitude: 27.34 }],
    ['-33.87;151.21', { latitude: -33.87, longitude: 151.21 }],
    ['37 27', { latitude: 37, longitude: 27 }],
  ])('“%s” is a position', (text, place) => {
    expect(parsePair(text)).toEqual(place);
  });

  it.each(['37,856912', '37.85', '91.5, 27.3', '37.8, 181', 'a, b', ''])('“%s” is not a position', (text) => {
    expect(parsePair(text)).toBeNull();
  });
});
