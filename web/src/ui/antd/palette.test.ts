import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { palettes } from './palette';

const files = ['tokens', 'levels'].map((name) => readFileSync(`src/app/${name}.css`, 'utf8'));

function block(selector: string): Map<string, string> {
  const body = files.map((css) => css.slice(css.indexOf(selector)).match(/\{([^}]*)\}/)?.[1] ?? '').join('');
  return new Map([...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1] ?? '', match[2] ?? '']));
}

const light = block('[data-theme="light"]');
const dark = block('[data-theme="dark"]');

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

describe.each([
  ['light', light],
  ['dark', dark],
] as const)('the %s theme', (name, tokens) => {
  it('is the same for antd as for the page', () => {
    for (const [key, value] of Object.entries(palettes[name])) {
      expect(value, key).toBe(tokens.get(key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)));
    }
  });

  it('has readable contrast', () => {
    const value = (token: string) => tokens.get(token) ?? expect.unreachable(`no --${token}`);
    for (const text of ['ink', 'ink2', 'ink3', 'primary', 'clay', 'grain', 'level-0', 'level-1', 'level-2']) {
      for (const ground of ['base', 'surface']) {
        expect(contrast(value(text), value(ground)), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    for (const level of ['level-0', 'level-1', 'level-2'])
      expect(contrast(value(level), value(`${level}-bg`)), level).toBeGreaterThanOrEqual(4.5);
    expect(contrast(value('on-primary'), value('primary'))).toBeGreaterThanOrEqual(4.5);
    for (const step of [0, 1, 2, 3, 4])
      expect(contrast(value(`ramp-ink-${step}`), value(`ramp-${step}`)), `ramp ${step}`).toBeGreaterThanOrEqual(4.5);
    for (const mark of ['ctl', 'focus'])
      expect(contrast(value(mark), value('surface')), mark).toBeGreaterThanOrEqual(3);
  });
});

it.each([
  ['light', light, -1],
  ['dark', dark, 1],
] as const)('orders the ramp of the %s theme by lightness, so that no colour vision is needed', (_, tokens, sign) => {
  const steps = [0, 1, 2, 3, 4].map((step) => luminance(tokens.get(`ramp-${step}`) ?? ''));
  for (const [i, step] of steps.slice(1).entries()) {
    const before = steps[i] ?? 0;
    const [high, low] = [Math.max(step, before), Math.min(step, before)];
    expect(Math.sign(step - before)).toBe(sign);
    expect((high + 0.05) / (low + 0.05)).toBeGreaterThan(1.2);
  }
});

it('gives both themes the same names', () => {
  expect([...dark.keys()].sort()).toEqual([...light.keys()].sort());
});
