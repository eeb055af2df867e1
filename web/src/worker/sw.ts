import type { Files } from './buildFiles';
import {
  cacheLoadedAssets,
  deleteOldCaches,
  install,
  requestKindOf,
  serveAsset,
  servePage,
  serveUnhashedFile,
} from './serve';

/** The service worker API in use here; the page's types do not include it. */
interface Scope {
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'message', listener: (event: ExtendableEvent & MessageEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  location: Location;
}
interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

declare const self: unknown;
/** The build replaces this name with its own files. */
declare const __TILTH_FILES__: Files;

const files = __TILTH_FILES__;
const scope = self as Scope;

scope.addEventListener('install', (event) => event.waitUntil(install(files)));

scope.addEventListener('activate', (event) =>
  event.waitUntil(deleteOldCaches(files).then(() => scope.clients.claim())),
);

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  switch (requestKindOf(request, scope.location.origin, files)) {
    case 'asset':
      return event.respondWith(serveAsset(request));
    case 'beside':
      return event.respondWith(serveUnhashedFile(request, files));
    case 'page':
      return event.respondWith(servePage(request, files, (work) => event.waitUntil(work)));
    default:
      return;
  }
});

scope.addEventListener('message', (event) => {
  const { kind, paths } = event.data as { kind: string; paths?: string[] };
  if (kind === 'build') event.ports[0]?.postMessage(files.build);
  if (kind === 'take-over') event.waitUntil(scope.skipWaiting());
  if (kind === 'used') event.waitUntil(cacheLoadedAssets(paths ?? [], files));
});
