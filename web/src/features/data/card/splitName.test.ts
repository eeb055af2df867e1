import { describe, expect, it } from 'vitest';
import { splitName } from './splitName';

describe('a name that may be cut', () => {
  it.each([
    ['Soil temperature (30 cm)', 'Soil temperature', ' (30 cm)'],
    ['土壤温度（30 cm）', '土壤温度', '（30 cm）'],
    ['Soil moisture, 30 cm', 'Soil moisture', ', 30 cm'],
    ['Температура почвы 10 см', 'Температура почвы', ' 10 см'],
    ['Toprak sıcaklığı 2', 'Toprak sıcaklığı', ' 2'],
    ['Leaf wetness (upper) (2)', 'Leaf wetness (upper)', ' (2)'],
  ])('%s keeps its end', (name, start, end) => {
    expect(splitName(name)).toEqual([start, end]);
  });

  it.each([
    ['Температура воздуха', 'Температура', ' воздуха'],
    ['Температура почвы 10 см', 'Температура почвы', ' 10 см'],
    ['Температура почвы 30 см', 'Температура почвы', ' 30 см'],
    ['Влажность почвы', 'Влажность', ' почвы'],
    ['Влажность воздуха', 'Влажность', ' воздуха'],
    ['Скорость ветра', 'Скорость ветра', ''],
  ])('%s keeps what distinguishes it from its siblings', (name, start, end) => {
    const beside = [
      'Температура воздуха',
      'Температура почвы 10 см',
      'Температура почвы 30 см',
      'Влажность почвы',
      'Влажность воздуха',
      'Скорость ветра',
    ];
    expect(splitName(name, beside)).toEqual([start, end]);
  });

  it('is not split within a word, nor if another name begins with it', () => {
    expect(splitName('Humidity', ['Humus'])).toEqual(['Humidity', '']);
    expect(splitName('Rain', ['Rain', 'Rain rate'])).toEqual(['Rain', '']);
    expect(splitName('Rain rate', ['Rain'])).toEqual(['Rain', ' rate']);
  });

  it.each(['Air temperature', '(raw)', '30 cm', 'PM2.5', '', 'Station pressure'])('%s has no end to keep', (name) => {
    expect(splitName(name)).toEqual([name, '']);
  });
});
