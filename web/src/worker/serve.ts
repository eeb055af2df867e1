import { assetsCache, type Files, isOtherPage, languagesLike, pageCache } from './buildFiles';

/** How long to wait for the page over a slow connection before the cached one is shown. */
const pageTimeoutMs = 3_000;

/** Paths that are no page of the console, though a browser may navigate there. */
const serverPaths = /^\/(admin-api|app-api|open-api|api|auth|avatar|embed|mqtt|healthz|readyz)(\/|$)/;

type RequestKind = 'asset' | 'beside' | 'page';

/**
 * The kind of a request that this worker answers; null for everything else, above all calls and
 * users' pictures.
 */
export function requestKindOf(request: Request, origin: string, files: Files): RequestKind | null {
  const { pathname, origin: asked } = new URL(request.url);
  if (request.method !== 'GET' || asked !== origin) return null;
  if (pathname.startsWith('/assets/')) return 'asset';
  if (files.beside.includes(pathname)) return 'beside';
  const page = request.mode === 'navigate' && request.destination === 'document';
  return page && !serverPaths.test(pathname) && !/\.\w+$/.test(pathname) ? 'page' : null;
}

/**
 * Fetches the files that the page needs to start without a network; the browser's cache supplies
 * those that it has already.
 */
export async function install(files: Files): Promise<void> {
  const assets = await caches.open(assetsCache);
  const used = (await assets.keys()).map(({ url }) => new URL(url).pathname);
  const missing = [...files.shell, ...languagesLike(used, files)].filter((path) => !used.includes(path));
  await assets.addAll(missing);
  const page = await caches.open(pageCache(files));
  await page.addAll(['/', ...files.beside].map((path) => new Request(path, { cache: 'no-cache' })));
}

/** Removes files that belong only to other builds. */
export async function deleteOldCaches(files: Files): Promise<void> {
  for (const name of await caches.keys()) if (isOtherPage(name, files)) await caches.delete(name);
  const assets = await caches.open(assetsCache);
  const known = new Set(files.all);
  for (const request of await assets.keys()) {
    if (!known.has(new URL(request.url).pathname)) await assets.delete(request);
  }
}

/** Caches the files that the page had loaded before the worker was active. */
export async function cacheLoadedAssets(paths: readonly string[], files: Files): Promise<void> {
  const assets = await caches.open(assetsCache);
  const known = new Set(files.all);
  for (const path of paths) {
    if (known.has(path) && !(await assets.match(path, { ignoreVary: true }))) await assets.add(path);
  }
}

/** A hashed name always has the same content. */
export async function serveAsset(request: Request): Promise<Response> {
  const assets = await caches.open(assetsCache);
  // A picture requested with CORS or without is the same one.
  const kept = await assets.match(request.url, { ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.status === 200) await assets.put(request.url, answer.clone());
  return answer;
}

export async function serveUnhashedFile(request: Request, files: Files): Promise<Response> {
  const page = await caches.open(pageCache(files));
  return (await page.match(new URL(request.url).pathname, { ignoreVary: true })) ?? fetch(request);
}

/**
 * Serves the page from the server, whose headers say what it may load; if the server is silent or
 * slow, the cached one. A page of this build replaces the cached one, a page of another build does
 * not: that comes with its own worker.
 */
export async function servePage(
  request: Request,
  files: Files,
  later: (work: Promise<unknown>) => void,
): Promise<Response> {
  const cache = await caches.open(pageCache(files));
  const kept = await cache.match('/', { ignoreVary: true });
  if (!kept) return fetch(request);
  const text = await kept.clone().text();
  const fetched = fetch(request);
  later(
    fetched.then(
      async (answer) => {
        const copy = answer.clone();
        if (answer.status === 200 && (await copy.clone().text()) === text) await cache.put('/', copy);
      },
      () => undefined,
    ),
  );
  const slow = new Promise<Response>((resolve) => setTimeout(() => resolve(kept), pageTimeoutMs));
  return Promise.race([fetched.catch(() => kept), slow]);
}
