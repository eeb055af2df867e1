import { expect, it } from 'vitest';
import { maxCompared, signsOf, toggled } from './compared';

const probe = (n: number, mainSign = 'soilMoisture30') => ({ deviceName: `P-${n}`, noteName: '', mainSign });

it('takes a device and gives it back', () => {
  const two = toggled(toggled([], probe(1)), probe(2));
  expect(two.map(({ deviceName }) => deviceName)).toEqual(['P-1', 'P-2']);
  expect(toggled(two, probe(1)).map(({ deviceName }) => deviceName)).toEqual(['P-2']);
});

it('takes no more than the analysis page does', () => {
  let list: ReturnType<typeof toggled> = [];
  for (let n = 0; n < maxCompared; n += 1) list = toggled(list, probe(n));
  expect(toggled(list, probe(99))).toBe(list);
  expect(toggled(list, probe(0))).toHaveLength(maxCompared - 1);
});

it('names each main property once, and none for a device without', () => {
  expect(signsOf([probe(1), probe(2), probe(3, 'waterLevel'), probe(4, '')])).toEqual(['soilMoisture30', 'waterLevel']);
});
