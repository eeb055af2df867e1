import { describe, expect, it } from 'vitest';
import { splitDepth, splitName } from './splitName';

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

describe('a name with a depth', () => {
  it.each([
    ['Soil moisture (vol., 10 cm)', 'Soil moisture, vol.', ' (10 cm)'],
    ['Объёмная влажность почвы (10 см)', 'Объёмная влажность почвы', ' (10 см)'],
    ['Toprak nemi (hacim, 60 cm)', 'Toprak nemi, hacim', ' (60 cm)'],
    ['土壤体积含水率（10 厘米）', '土壤体积含水率', '（10 厘米）'],
    ['Soil temperature (0.3 m)', 'Soil temperature', ' (0.3 m)'],
  ])('%s keeps it', (name, start, end) => {
    expect(splitDepth(name)).toEqual([start, end]);
  });

  it.each(['Soil moisture', 'Leaf wetness (upper)', 'PPFD (PAR)', 'Wind (2)'])('%s has none', (name) => {
    expect(splitDepth(name)).toBeUndefined();
  });
});
