import { describe, expect, it } from 'vitest';
import { comparisonSource } from './compare';

const range = { from: 1000, to: 1700 };

describe('the comparison', () => {
  it('is null unless requested', () => {
    expect(comparisonSource({ with: 'nothing' }, 'WS-1', range)).toBeNull();
  });

  it('is the same device’s previous period, shifted over these readings', () => {
    expect(comparisonSource({ with: 'before' }, 'WS-1', range)).toEqual({
      deviceName: 'WS-1',
      range: { from: 300, to: 1000 },
      shift: 700,
    });
  });

  it('is another device at the same time', () => {
    expect(comparisonSource({ with: 'device', deviceName: 'WS-2', title: 'Two' }, 'WS-1', range)).toEqual({
      deviceName: 'WS-2',
      range,
      shift: 0,
    });
  });
});
