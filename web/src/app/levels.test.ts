import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const levels = readFileSync('src/app/levels.css', 'utf8');
const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(css|tsx?)$/.test(file) && !/\.test\.tsx?$|^app\/levels\.css$/.test(file))
  .map((file) => ({ file, text: readFileSync(join('src', file), 'utf8') }));

/** Files with colours of their own, some of which levels have, too. */
const palettes = [
  'app/tokens.css',
  'ui/antd/palette.ts',
  // The focus on a camera's black picture.
  'features/data/video/CameraPicture.module.css',
];

// Thus a change of levels.css changes all of them, and a change of another colour none.
it('no other file defines a colour of alarms or levels', () => {
  for (const { file, text } of files) {
    expect(text.match(/--(level|alarm)[\w-]*\s*:.*|\[data-level\b.*/)?.[0], file).toBeUndefined();
  }
});

it('no other file writes one', () => {
  const colors = [...new Set(levels.match(/#[0-9a-f]{6}/g))];
  expect(colors.length).toBeGreaterThan(6);
  for (const { file, text } of files) {
    if (palettes.includes(file)) continue;
    expect(
      colors.filter((color) => text.toLowerCase().includes(color)),
      file,
    ).toEqual([]);
  }
});

it('levels.css takes nothing from the palette', () => {
  expect(
    [...levels.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name).filter((name) => !name?.startsWith('--level')),
  ).toEqual([]);
});
