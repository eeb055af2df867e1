import { expect, it } from 'vitest';
import { metresBetween } from './distance';

it.each([
  ['a place and itself', [37.8, 27.3], [37.8, 27.3], 0],
  ['a degree north', [0, 0], [1, 0], 111_195],
  ['a degree east at 60° north, half as far', [60, 0], [60, 1], 55_597],
  ['over the date line', [0, 179.5], [0, -179.5], 111_195],
] as const)('the distance of %s', (_, [lat1, lng1], [lat2, lng2], metres) => {
  const away = metresBetween({ latitude: lat1, longitude: lng1 }, { latitude: lat2, longitude: lng2 });
  expect(Math.round(away)).toBe(metres);
});
