// Vite plugins that make the console an app: its service worker with the list of cached files, and
// its manifests.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import type { Files } from '../src/worker/buildFiles.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const workerSource = 'src/worker/sw.ts';
const workerFile = 'sw.js';
/**
 * Pages that open without a network, whoever visited them: those with the last values, and the
 * sign-in page.
 */
const shellRoots = [
  'index.html',
  'src/app/SignInRoute.tsx',
  'src/app/shell/Shell.tsx',
  'src/features/home/HomePage.tsx',
  'src/features/data/DataPage.tsx',
];
const beside = ['/theme.js', '/preload.js', '/favicon.svg'];

/** Builds the service worker beside the page and writes the list of files into it. */
export function worker(): Plugin {
  let build = '';
  return {
    name: 'tilth:worker',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'chunk', id: workerSource, fileName: workerFile });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        build = nameOf(bundle);
        return [{ tag: 'meta', attrs: { name: 'tilth-build', content: build }, injectTo: 'head' }];
      },
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunk = bundle[workerFile];
        if (chunk?.type !== 'chunk' || chunk.imports.length > 0) throw new Error('the worker is not one file');
        const files: Files = { build, shell: shellOf(bundle), beside, all: assetsOf(bundle) };
        chunk.code = chunk.code.replace('__TILTH_FILES__', () => JSON.stringify(files));
        if (build === '' || !chunk.code.includes(build)) throw new Error('the worker does not know its build');
      },
    },
  };
}

/** Every hashed file, by the path that the page requests. */
function assetsOf(bundle: Rolldown.OutputBundle): string[] {
  return Object.keys(bundle)
    .filter((name) => name.startsWith('assets/') && !name.endsWith('.map'))
    .map((name) => `/${name}`)
    .sort();
}

/** Names a build by a hash of everything that the worker caches. */
function nameOf(bundle: Rolldown.OutputBundle): string {
  const hash = createHash('sha256');
  for (const path of assetsOf(bundle)) hash.update(`${path}\n`);
  for (const path of ['index.html', ...beside.map((name) => `public${name}`), workerSource]) hash.update(read(path));
  return hash.digest('hex').slice(0, 12);
}

/** The roots with all their static imports, and the font that is on every page. */
function shellOf(bundle: Rolldown.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const found = new Set<string>();
  const collect = (fileName: string) => {
    const chunk = bundle[fileName];
    if (found.has(fileName) || chunk?.type !== 'chunk') return;
    found.add(fileName);
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
    for (const next of chunk.imports) collect(next);
  };
  for (const path of shellRoots) {
    const own = chunks.find(({ facadeModuleId }) => facadeModuleId?.split('\\').join('/') === `${root}/${path}`);
    if (!own) throw new Error(`the build has no chunk for ${path}`);
    collect(own.fileName);
  }
  for (const name of Object.keys(bundle)) if (/inter-latin-wght-normal.*\.woff2$/.test(name)) found.add(name);
  return [...found].map((name) => `/${name}`).sort();
}

/** The languages that have texts. */
const languages = readdirSync(join(root, 'src/locales')).flatMap(
  (name) => /^([a-z]{2}-[a-z]{2})\.json$/.exec(name)?.[1] ?? [],
);

/** One manifest per language, all of the same app; theme.js links to the one of the user's language. */
export function manifests(): Plugin {
  return {
    name: 'tilth:manifests',
    buildStart() {
      if (this.environment.mode !== 'build') return;
      for (const code of languages) {
        this.emitFile({ type: 'asset', fileName: `app.${code}.webmanifest`, source: manifest(code) });
      }
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const code = /^\/app\.([a-z]{2}-[a-z]{2})\.webmanifest$/.exec(request.url ?? '')?.[1];
        if (!code || !languages.includes(code)) return next();
        response.setHeader('Content-Type', 'application/manifest+json');
        response.end(manifest(code));
      });
    },
  };
}

function manifest(code: string): string {
  const { nav, signin } = JSON.parse(read(`src/locales/${code}.json`));
  const ground = token('--base');
  const icon = (size: number, purpose: 'any' | 'maskable') => ({
    src: `/icons/${purpose === 'any' ? 'icon' : 'maskable'}-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  const shortcut = (name: string, url: string) => ({ name, url, icons: [icon(192, 'any')] });
  return JSON.stringify({
    id: '/',
    name: 'Tilth',
    short_name: 'Tilth',
    description: signin.brandText,
    lang: Intl.getCanonicalLocales(code)[0],
    dir: 'ltr',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    theme_color: ground,
    background_color: ground,
    icons: [icon(192, 'any'), icon(512, 'any'), icon(192, 'maskable'), icon(512, 'maskable')],
    shortcuts: [shortcut(nav.home, '/dashboard-default'), shortcut(nav.data, '/data'), shortcut(nav.inform, '/inform')],
  });
}

/** A value of the light theme. */
function token(name: string): string {
  const value = new RegExp(`${name}:\\s*(#[0-9a-f]{6});`).exec(read('src/app/tokens.css'))?.[1];
  if (!value) throw new Error(`tokens.css has no ${name}`);
  return value;
}
