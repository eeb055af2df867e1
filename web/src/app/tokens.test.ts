import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

// A style that names an undefined token has no effect, and nothing reports it.
it('every token that a style uses is defined somewhere', () => {
  const used = new Map<string, string>();
  const set = new Set<string>();
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.(css|tsx?)$/.test(file));
  for (const file of files) {
    const text = readFileSync(join('src', file), 'utf8');
    // A token with a fallback value may be undefined.
    for (const [, token = ''] of text.matchAll(/var\((--[\w-]+)\s*\)/g)) used.set(token, file);
    const setting = file.endsWith('.css') ? /(--[\w-]+)\s*:/g : /['"`](--[\w-]+)['"`]/g;
    for (const [, token = ''] of text.matchAll(setting)) set.add(token);
  }
  expect(used.size).toBeGreaterThan(20);
  expect([...used].filter(([token]) => !set.has(token))).toEqual([]);
});
