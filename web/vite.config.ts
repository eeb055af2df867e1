import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { manifests, worker } from './scripts/console.ts';
import { importsOf } from './scripts/firstPages.ts';
import { textParts } from './scripts/locales.ts';
import { preload } from './scripts/preload.ts';

/**
 * The Go server embeds dist/; the placeholder lets a clean clone build without Node, so a build
 * must not remove it.
 */
function keepPlaceholder(): Plugin {
  return {
    name: 'tilth:keep-placeholder',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '.gitkeep', source: '' });
    },
  };
}

/**
 * The Latin part of the font is on every page: preloaded, it is ready when the first line is
 * rendered.
 */
function preloadFont(): Plugin {
  return {
    name: 'tilth:preload-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((name) => /inter-latin-wght-normal.*\.woff2$/.test(name));
        if (!font) throw new Error('the build holds no Latin font');
        return [
          {
            tag: 'link',
            attrs: { rel: 'preload', href: `/${font}`, as: 'font', type: 'font/woff2', crossorigin: true },
            injectTo: 'head',
          },
        ];
      },
    },
  };
}

/** A chunk of the modules whose path fits, and what they import that no chunk before it has. */
const chunk = (name: string, fits: (path: string) => boolean) => ({
  name,
  test: (id: string) => fits(id.split('\\').join('/')),
});
const library = (...names: string[]) => {
  const pattern = new RegExp(`/node_modules/(${names.join('|')})/`);
  return (path: string) => pattern.test(path);
};
/** What a first page imports: its own files stay beside it, since the router asks for them by name. */
const importedBy = (page: Parameters<typeof importsOf>[0]) => {
  const files = importsOf(page);
  return (path: string) => files.has(path.slice(path.lastIndexOf('/src/') + 5));
};
/**
 * Where the console is served without HTTP/2, a browser asks for six files at a time: few files of
 * one purpose come sooner than many small ones. Libraries that rarely change have chunks of their own,
 * so that users need not fetch React again with every release.
 */
const chunks = [
  chunk('react', library('react', 'react-dom', 'scheduler')),
  chunk('map', library('leaflet', 'supercluster', 'kdbush', 'topojson-client', 'world-atlas')),
  chunk('first', importedBy('signin')),
  chunk('home', importedBy('home')),
];

export default defineConfig({
  plugins: [react(), textParts(), keepPlaceholder(), preloadFont(), preload(), manifests(), worker()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    proxy: {
      '/admin-api': 'http://127.0.0.1:8080',
      '/app-api': 'http://127.0.0.1:8080',
      '/auth': 'http://127.0.0.1:8080',
      '/avatar': 'http://127.0.0.1:8080',
      '/open-api': 'http://127.0.0.1:8080',
    },
  },
  build: {
    target: 'es2022',
    manifest: true,
    // Everything that the page loads needs an address of its own: the content security policy
    // allows neither data: nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: { codeSplitting: { groups: chunks.map((one, i) => ({ ...one, priority: chunks.length - i })) } },
    },
  },
});
