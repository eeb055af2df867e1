import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { manifests, worker } from './scripts/console.ts';

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

/**
 * A stable chunk for rarely changing libraries, so that users need not fetch React again with every
 * release.
 */
function vendorChunk(id: string): string | null {
  const path = id.split('\\').join('/');
  if (!path.includes('/node_modules/')) return null;
  if (/\/node_modules\/(react|react-dom|scheduler)\//.test(path)) return 'react';
  if (/\/node_modules\/(leaflet|supercluster|kdbush|topojson-client|world-atlas)\//.test(path)) return 'map';
  return null;
}

export default defineConfig({
  plugins: [react(), keepPlaceholder(), preloadFont(), manifests(), worker()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    proxy: {
      '/admin-api': 'http://127.0.0.1:8080',
      '/app-api': 'http://127.0.0.1:8080',
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
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: vendorChunk, debugName: 'vendors' }] } } },
  },
});
