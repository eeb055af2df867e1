import { describe, expect, it } from 'vitest';
import { filesOf, readSource } from '../../scripts/firstPages';
import { partOf, textsOfPart } from './parts';

const texts = JSON.parse(readSource('locales/en-us.json'));
const keyStart = new RegExp(`['"\`]((?:${Object.keys(texts).join('|')})\\.[\\w.]*)`, 'g');

describe('the parts of the texts', () => {
  it.each([
    ['signin', ['signin']],
    ['home', ['signin', 'home']],
  ] as const)('%s holds what its pages show', (page, parts) => {
    const files = filesOf(page);
    expect(files.length).toBeGreaterThan(50);
    // A file that fetches the rest itself may show all of it.
    const without = files.filter((path) => !readSource(path).includes("loadTexts('rest')"));
    const missing = without.flatMap((path) =>
      [...readSource(path).matchAll(keyStart)].flatMap(([, key = '']) =>
        parts.some((part) => part === partOf(key.replace(/\.$/, ''))) ? [] : `${path}: ${key}`,
      ),
    );
    expect(missing).toEqual([]);
  });

  it('are fetched with every page but the sign-in page, whose part is always there', () => {
    const without = [...readSource('app/router.tsx').matchAll(/lazyRouteComponent\(\s*\(\) => import\('([^']+)'/g)];
    expect(without.map(([, page]) => page)).toEqual(['./SignInRoute']);
  });

  it('are together all texts', () => {
    const size = (value: object): number =>
      Object.values(value).reduce((sum, each) => sum + (typeof each === 'string' ? 1 : size(each)), 0);
    const parts = (['signin', 'home', 'rest'] as const).map((part) => size(textsOfPart(texts, part)));
    expect(parts.every((count) => count > 50)).toBe(true);
    expect(parts.reduce((sum, count) => sum + count)).toBe(size(texts));
  });

  it('keep plural forms beside their key', () => {
    expect(partOf('derived.about_one')).toBe('home');
    expect(partOf('derived.aboutElse')).toBe('rest');
    expect(partOf('home.alarms.all')).toBe('home');
  });
});
