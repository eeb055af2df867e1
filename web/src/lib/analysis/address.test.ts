import { expect, it } from 'vitest';
import { analysisAddress } from './address';

it('names devices, attributes and the range', () => {
  expect(analysisAddress({ devices: ['WS-1', 'WS-2'], signs: ['t', 'h'], span: { from: 1000.5, to: 2000.5 } })).toEqual(
    {
      devices: 'WS-1,WS-2',
      signs: 't,h',
      from: 1000,
      to: 2001,
    },
  );
});

it('leaves to the page what is not chosen', () => {
  expect(analysisAddress({ devices: ['WS-1'], signs: [] })).toEqual({ devices: 'WS-1' });
});
