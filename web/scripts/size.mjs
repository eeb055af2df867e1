// Prints how many kB of gzipped JavaScript a user's first visit loads, and checks the limits. Run
// it after `vite build`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));

const entry = 'index.html';
const texts = (part) => `src/locales/en-us.json?part=${part}`;

const homeRoots = [entry, texts('signin'), texts('home'), 'src/app/shell/Shell.tsx', 'src/features/home/HomePage.tsx'];

/** Each page with the chunks that its route requests. Their static imports count, dynamic ones do not. */
const pages = [
  { name: '/signin', roots: [entry, texts('signin'), 'src/app/SignInRoute.tsx'], limit: 160 },
  {
    name: 'home, before chart and map',
    roots: homeRoots,
    limit: 220,
  },
  {
    name: 'home, with the map',
    roots: [...homeRoots, ...mapRoots()],
    limit: 600,
  },
];

/** The map is a dynamic import of the home page, whatever the name of its file. */
function mapRoots() {
  const home = manifest['src/features/home/HomePage.tsx'];
  const seen = new Set(['src/features/home/HomePage.tsx', ...(home?.imports ?? [])]);
  const dynamic = [...seen].flatMap((key) => manifest[key]?.dynamicImports ?? []);
  const found = dynamic.filter((key) => /map/i.test(key));
  if (found.length === 0)
    throw new Error('the home page has no separate chunk for the map: the map would be part of the first load');
  return found;
}

function collect(key, found = new Set()) {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`the build has no chunk for ${key}`);
  if (found.has(key)) return found;
  found.add(key);
  for (const next of chunk.imports ?? []) collect(next, found);
  return found;
}

function chunksOf(roots) {
  const keys = new Set(roots.flatMap((root) => [...collect(root)]));
  return new Map([...keys].map((key) => [manifest[key].file, key]).filter(([file]) => file.endsWith('.js')));
}

const gzipped = new Map();
function kB(file) {
  if (!gzipped.has(file)) gzipped.set(file, gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1000);
  return gzipped.get(file);
}

let failed = false;
const rows = [];
for (const { name, roots, limit } of pages) {
  const files = [...chunksOf(roots).keys()];
  const sum = files.reduce((bytes, file) => bytes + kB(file), 0);
  const over = sum > limit;
  failed ||= over;
  rows.push({ page: name, files: files.length, 'kB gz': sum.toFixed(1), limit, verdict: over ? 'TOO MUCH' : 'ok' });
}
const mapFiles = [...chunksOf(mapRoots()).keys()].filter((file) => !chunksOf(pages[1].roots).has(file));
rows.push({
  page: 'the map alone',
  files: mapFiles.length,
  'kB gz': mapFiles.reduce((bytes, file) => bytes + kB(file), 0).toFixed(1),
  limit: '–',
  verdict: '',
});
printTable(rows);

if (process.argv.includes('--chunks')) {
  for (const { name, roots } of pages) {
    console.log(`\n${name}`);
    const files = [...chunksOf(roots).keys()].sort((a, b) => kB(b) - kB(a));
    for (const file of files) console.log(`  ${kB(file).toFixed(1).padStart(7)}  ${file}`);
  }
}
if (failed) process.exitCode = 1;

function printTable(table) {
  const columns = Object.keys(table[0]);
  const width = (column) => Math.max(column.length, ...table.map((row) => String(row[column]).length));
  const line = (cells) =>
    columns
      .map((column, index) =>
        index === 0 ? String(cells[column]).padEnd(width(column)) : String(cells[column]).padStart(width(column)),
      )
      .join('  ')
      .trimEnd();
  console.log(line(Object.fromEntries(columns.map((column) => [column, column]))));
  for (const row of table) console.log(line(row));
}
