// A Vite plugin: writes into the page which files the home page needs, for public/preload.js.
import type { Plugin, Rolldown } from 'vite';
import { languageCodes } from '../src/lib/i18n/languages.ts';
import { roots } from './firstPages.ts';

/** The files that begin the home page, by the names of their sources. */
const homeSources = roots.home.map((path) => `/src/${path}`);
const textsOf = (language: string) => ['signin', 'home'].map((part) => `/src/locales/${language}.json?part=${part}`);

export function preload(): Plugin {
  return {
    name: 'tilth:preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const known = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path));
        const filesFor = (source: string) => {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(source));
          if (!chunk) throw new Error(`the build has no chunk for ${source}`);
          return withImports(chunk, bundle).filter((path) => !known.has(path));
        };
        const home = [...new Set(homeSources.flatMap(filesFor))];
        const texts = Object.fromEntries(languageCodes.map((code) => [code, textsOf(code).flatMap(filesFor)]));
        return [
          {
            tag: 'script',
            attrs: { src: '/preload.js', 'data-home': JSON.stringify(home), 'data-texts': JSON.stringify(texts) },
            injectTo: 'head-prepend',
          },
        ];
      },
    },
  };
}

/** The addresses of a chunk and of all that it imports, with their styles. */
function withImports(chunk: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle): string[] {
  const found = new Set<string>();
  const open = [chunk.fileName];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const one = bundle[name];
    if (one?.type !== 'chunk') continue;
    open.push(...one.imports);
    for (const style of one.viteMetadata?.importedCss ?? []) found.add(style);
  }
  return [...found].map((name) => `/${name}`);
}
