import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const src = resolve('src');

function layer(path: string): { name: string; feature?: string } {
  const [top = '', feature] = path.split('/');
  return top === 'features' ? { name: top, feature } : { name: top };
}

/**
 * Which layer may import which. The lint rule checks the written path; this test resolves relative
 * paths.
 */
const allowed: Record<string, readonly string[]> = {
  app: ['app', 'features', 'ui', 'lib', 'api', 'locales'],
  features: ['features', 'ui', 'lib', 'api'],
  ui: ['ui', 'lib', 'api'],
  lib: ['lib', 'api', 'locales'],
  // The service worker: it runs outside the page and is built into one file of its own.
  worker: ['worker'],
};

function imports(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+|@\/[^']+)'/g)].map((match) => {
    const path = match[1] ?? '';
    return relative(src, path.startsWith('@/') ? join(src, path.slice(2)) : resolve(dirname(file), path));
  });
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.d\.ts$/.test(file) && !file.startsWith('test/'),
);

it('follows one direction: app, features, ui, lib', () => {
  const wrong = files.flatMap((file) => {
    const from = layer(file);
    return imports(join(src, file))
      .map((path) => ({ path, to: layer(path) }))
      .filter(
        ({ to }) =>
          !allowed[from.name]?.includes(to.name) ||
          (to.feature !== undefined && from.name === 'features' && to.feature !== from.feature),
      )
      .map(({ path }) => `${file} imports ${path}`);
  });
  expect(files.length).toBeGreaterThan(30);
  expect(wrong).toEqual([]);
});

it('keeps files short', () => {
  const long = files.filter(
    (file) => file !== 'api/schema.gen.ts' && readFileSync(join(src, file), 'utf8').split('\n').length > 250,
  );
  expect(long).toEqual([]);
});
