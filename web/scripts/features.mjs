// Prints the features whose modules the given files are in, or are imported by, however far: one a line.
// Features import no other ones, so tests of the others hardly ever notice a change of these files.
//   node web/scripts/features.mjs web/src/ui/chart/axis.ts…
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

const importers = new Map();
for (const file of files) {
  if (/\.test\.|^test\/|^app\//.test(file)) continue;
  for (const imported of importsOf(file)) importers.set(imported, [...(importers.get(imported) ?? []), file]);
}

const reached = new Set(process.argv.slice(2).map((file) => relative(src, resolve(file))));
for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
const features = new Set([...reached].map((file) => /^features\/([^/]+)\//.exec(file)?.[1]).filter(Boolean));
for (const feature of [...features].sort()) console.log(feature);
