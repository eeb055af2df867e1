// Prints what imports the given files, however far: one a line.
//   node web/scripts/importers.mjs features web/src/ui/chart/ticks.ts…   the features that contain or import them.
//     Features import no other ones, so tests of the others hardly ever notice a change of these files.
//   node web/scripts/importers.mjs nearest web/src/ui/chart/ticks.ts…    the test files at most three imports away.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const src = join(root, 'web/src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(tsx?|css)$/.test(file));
const known = new Set(files);

/** The files of the console that a file imports, as written or with an ending. */
function importsOf(file) {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+|@\/[^']+)'/g)]
    .map(([, path]) =>
      relative(src, path.startsWith('@/') ? join(src, path.slice(2)) : resolve(src, dirname(file), path)),
    )
    .map((path) => [path, `${path}.ts`, `${path}.tsx`, join(path, 'index.ts')].find((name) => known.has(name)))
    .filter(Boolean);
}

const isTest = (file) => file.includes('.test.');
const importers = new Map();
for (const file of files) {
  // The app imports everything, and tests of pages open the app with the help of test/.
  if (/^(test|app)\//.test(file) && !isTest(file)) continue;
  for (const imported of importsOf(file)) importers.set(imported, [...(importers.get(imported) ?? []), file]);
}

/** The files themselves, and what imports them in at most so many steps. */
function reached(changed, steps) {
  const all = new Set(changed);
  let last = changed;
  for (let step = 0; step < steps && last.length > 0; step++) {
    last = [...new Set(last.flatMap((file) => importers.get(file) ?? []))].filter((file) => !all.has(file));
    for (const file of last) all.add(file);
  }
  return [...all];
}

const [what, ...paths] = process.argv.slice(2);
const changed = paths.map((path) => relative(src, resolve(path)));
const lines = {
  features: () =>
    reached(changed, Infinity)
      .filter((file) => !isTest(file))
      .map((file) => /^features\/([^/]+)\//.exec(file)?.[1])
      .filter(Boolean),
  nearest: () =>
    reached(changed, 3)
      .filter(isTest)
      .map((file) => `src/${file}`),
};
for (const line of [...new Set(lines[what]())].sort()) console.log(line);
