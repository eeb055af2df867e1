import { expect, it } from 'vitest';
import { analysisSearch, namesOf } from './search';

it('keeps what is valid', () => {
  const whole = {
    devices: 'WS-1,WS-2',
    signs: 'airTemperature,soilMoisture10',
    range: 'year',
    by: 'hour',
    compare: 'degreeDays',
    since: '03-01',
    base: 6.5,
    hide: 'band,nights',
    full: 28,
    refill: 18,
    view: 'table',
  };
  expect(analysisSearch(whole)).toEqual(whole);
  expect(analysisSearch({ from: '1000', to: 2000, range: 'year' })).toEqual({ from: 1000, to: 2000 });
  expect(analysisSearch({ devices: 7 })).toEqual({ devices: '7' });
});

it('leaves out what is not', () => {
  expect(
    analysisSearch({
      devices: ',,',
      signs: ['a'],
      range: 'decade',
      from: 2000,
      to: 1000,
      by: 'auto',
      compare: 'mood',
      since: '13-40',
      base: 'warm',
      hide: 'everything',
      full: 20,
      refill: 30,
      view: 'chart',
    }),
  ).toEqual({ full: 20 });
});

it('keeps that no attribute is chosen, and takes only dates and times that there are', () => {
  expect(analysisSearch({ signs: '' })).toEqual({ signs: '' });
  expect(analysisSearch({ since: '02-29' })).toEqual({ since: '02-29' });
  expect(analysisSearch({ since: '02-31' })).toEqual({});
  expect(analysisSearch({ since: '13-01' })).toEqual({});
  expect(analysisSearch({ from: 1000.5, to: 2000 })).toEqual({});
});

it('takes six devices, each once', () => {
  expect(analysisSearch({ devices: 'a,b,a,c,d,e,f,g' })).toEqual({ devices: 'a,b,c,d,e,f' });
  expect(namesOf(undefined)).toEqual([]);
});
