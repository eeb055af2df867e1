import { describe, expect, it } from 'vitest';
import { cutName } from './cutName';

describe('a name that may be cut', () => {
  it.each([
    ['Soil temperature (30 cm)', 'Soil temperature', ' (30 cm)'],
    ['土壤温度（30 cm）', '土壤温度', '（30 cm）'],
    ['Soil moisture, 30 cm', 'Soil moisture', ', 30 cm'],
    ['Температура почвы 10 см', 'Температура почвы', ' 10 см'],
    ['Toprak sıcaklığı 2', 'Toprak sıcaklığı', ' 2'],
    ['Leaf wetness (upper) (2)', 'Leaf wetness (upper)', ' (2)'],
  ])('%s keeps its end', (name, start, end) => {
    expect(cutName(name)).toEqual([start, end]);
  });

  it.each(['Air temperature', '(raw)', '30 cm', 'PM2.5', '', 'Station pressure'])('%s has none to keep', (name) => {
    expect(cutName(name)).toEqual([name, '']);
  });
});
