import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

// A style that names a token nobody sets is drawn as if it said nothing, and nothing tells.
it('every token that a style names is set somewhere', () => {
  const used = new Map<string, string>();
  const set = new Set<string>();
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.(css|tsx?)$/.test(file));
  for (const file of files) {
    const text = readFileSync(join('src', file), 'utf8');
    // One with a value to fall back on may be unset.
    for (const [, token = ''] of text.matchAll(/var\((--[\w-]+)\s*\)/g)) used.set(token, file);
    const setting = file.endsWith('.css') ? /(--[\w-]+)\s*:/g : /['"`](--[\w-]+)['"`]/g;
    for (const [, token = ''] of text.matchAll(setting)) set.add(token);
  }
  expect(used.size).toBeGreaterThan(20);
  expect([...used].filter(([token]) => !set.has(token))).toEqual([]);
});
