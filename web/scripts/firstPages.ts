// Which source files the first pages run: from them follow the texts that those pages need and the
// chunks that they share.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const src = join(import.meta.dirname, '../src');

/** Where the code of the sign-in page, and of the frame and the home page, begins. */
export const roots = {
  signin: ['app/main.tsx', 'app/SignInRoute.tsx'],
  home: ['app/shell/Shell.tsx', 'features/home/HomePage.tsx'],
};
/** The router names every page; which of them are first ones is written above. */
const router = 'app/router.tsx';

const staticImport = /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/g;
const dynamicImport = /(withAntd\(\s*\(\)\s*=>\s*)?import\('([^']+)'\)(,\s*loadTexts\('rest'\))?/g;

export const readSource = (path: string) => readFileSync(join(src, path), 'utf8');

function fileOf(from: string, name: string): string | undefined {
  const base = name.startsWith('@/') ? name.slice(2) : name.startsWith('.') ? join(dirname(from), name) : undefined;
  if (base === undefined) return undefined;
  return ['', '.ts', '.tsx']
    .map((end) => base + end)
    .find((path) => /\.tsx?$/.test(path) && existsSync(join(src, path)));
}

/** The files that run on the sign-in page or, besides, on the home page before all texts are there. */
export function filesOf(page: keyof typeof roots): string[] {
  const stop = page === 'signin' ? roots.home : [];
  const found = new Set<string>();
  const open = [...roots[page]];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path) || stop.includes(path)) continue;
    found.add(path);
    const code = readSource(path);
    const names = [...code.matchAll(staticImport)].map(([, name = '']) => name);
    // What withAntd fetches comes with all texts, and so does what is fetched together with them.
    if (path !== router) {
      for (const [, withAntd, name = '', withTexts] of code.matchAll(dynamicImport)) {
        if (!withAntd && !withTexts) names.push(name);
      }
    }
    for (const name of names) open.push(...[fileOf(path, name)].filter((file) => file !== undefined));
  }
  return [...found];
}

/** The files that the page's first ones import. */
export function importsOf(page: keyof typeof roots): Set<string> {
  const files = roots[page].flatMap((path) =>
    [...readSource(path).matchAll(staticImport)].map(([, name = '']) => fileOf(path, name)),
  );
  return new Set(files.filter((file) => file !== undefined));
}
