import { describe, expect, it } from 'vitest';
import { displayUnit, standsFirst } from './unit';

describe('displayUnit', () => {
  it.each([
    ['mm', 'мм'],
    ['m/s', 'м/с'],
    ['hPa', 'гПа'],
    ['W/m²', 'Вт/м²'],
    ['lx', 'лк'],
    ['mS/cm', 'мСм/см'],
    ['V', 'В'],
    ['m³/h', 'м³/ч'],
    ['µmol/m²/s', 'мкмоль/м²/с'],
    ['°C·d', '°C·сут'],
    ['mg/L', 'мг/л'],
    ['°C', '°C'],
    ['%', '%'],
    ['', ''],
  ])('writes %s in Russian as %s', (unit, expected) => {
    expect(displayUnit(unit, 'ru-ru')).toBe(unit === '' ? '' : expected);
  });

  it('leaves a unit whole of which it knows only a part', () => {
    expect(displayUnit('NTU', 'ru-ru')).toBe('NTU');
    expect(displayUnit('CU/d', 'ru-ru')).toBe('CU/d');
  });

  it('turns the times of Turkish units and nothing else', () => {
    expect(displayUnit('m/s', 'tr-tr')).toBe('m/sn');
    expect(displayUnit('m³/h', 'tr-tr')).toBe('m³/sa');
    expect(displayUnit('mS/cm', 'tr-tr')).toBe('mS/cm');
  });

  it('changes nothing in English and Chinese', () => {
    expect(displayUnit('m/s', 'en-us')).toBe('m/s');
    expect(displayUnit('W/m²', 'zh-cn')).toBe('W/m²');
  });
});

describe('standsFirst', () => {
  it('is said of percent and per mille in Turkish, and of nothing else', () => {
    expect(standsFirst('%', 'tr-tr')).toBe(true);
    expect(standsFirst('‰', 'tr-tr')).toBe(true);
    for (const unit of ['', '°C', '%RH', 'm/s']) expect(standsFirst(unit, 'tr-tr')).toBe(false);
    for (const language of ['en-us', 'zh-cn', 'ru-ru'] as const) expect(standsFirst('%', language)).toBe(false);
  });
});
