import { describe, expect, it } from 'vitest';
import type { Language } from '@/lib/i18n';
import { formatNumber, formatPercent } from './number';

const nbsp = '\u00a0';

describe('formatNumber', () => {
  it.each<[Language, string]>([
    ['en-us', '1,234.5'],
    ['zh-cn', '1,234.5'],
    ['tr-tr', '1.234,5'],
    ['ru-ru', `1${nbsp}234,5`],
  ])('writes 1234.5 in %s as %s', (language, expected) => {
    expect(formatNumber(1234.5, language)).toBe(expected);
  });

  it('shows as many decimals as the property has, also those that are zero', () => {
    expect(formatNumber(3, 'en-us', 1)).toBe('3.0');
    expect(formatNumber(3.12, 'tr-tr', 2)).toBe('3,12');
    expect(formatNumber(91.4, 'en-us', 0)).toBe('91');
  });

  it('shows a number of unknown precision as it comes, without the tail of floating point', () => {
    expect(formatNumber(3.25, 'en-us')).toBe('3.25');
    expect(formatNumber(0.1 + 0.2, 'en-us')).toBe('0.3');
  });

  it('never shows minus zero', () => {
    expect(formatNumber(-0.04, 'en-us', 1)).toBe('0.0');
    expect(formatNumber(-0.06, 'en-us', 1)).toBe('−0.1');
  });

  it('does not stumble over a precision beyond what Intl takes', () => {
    expect(formatNumber(1.5, 'en-us', 200)).toBe('1.50000000000000000000');
  });
});

describe('formatPercent', () => {
  it.each<[Language, string]>([
    ['en-us', `93${nbsp}%`],
    ['zh-cn', '93%'],
    ['tr-tr', '%93'],
    ['ru-ru', `93${nbsp}%`],
  ])('writes a share in %s as %s', (language, expected) => {
    expect(formatPercent(0.9315, language)).toBe(expected);
  });

  it('says all and none only when it is so', () => {
    expect(formatPercent(9999 / 10_000, 'zh-cn')).toBe('99%');
    expect(formatPercent(1, 'zh-cn')).toBe('100%');
    expect(formatPercent(1 / 10_000, 'zh-cn')).toBe('1%');
    expect(formatPercent(0, 'zh-cn')).toBe('0%');
  });
});
