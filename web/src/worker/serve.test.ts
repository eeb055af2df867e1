import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeCaches } from '@/test/fakeCaches';
import { assetsCache, type Files, languagesLike, pageCache } from './buildFiles';
import {
  cacheLoadedAssets,
  deleteOldCaches,
  install,
  requestKindOf,
  serveAsset,
  servePage,
  serveUnhashedFile,
} from './serve';

const origin = 'https://farm.test';
const files: Files = {
  build: 'new',
  shell: ['/assets/index-AAAAAAAA.js', '/assets/index-BBBBBBBB.css'],
  beside: ['/theme.js'],
  all: [
    '/assets/index-AAAAAAAA.js',
    '/assets/index-BBBBBBBB.css',
    '/assets/NoticesPage-CCCCCCCC.js',
    '/assets/en-us-DDDDDDDD.js',
    '/assets/tr-tr-EEEEEEEE.js',
  ],
};
const oldFiles: Files = { ...files, build: 'old', all: ['/assets/index-AAAAAAAA.js', '/assets/tr-tr-00000000.js'] };

/** A browser's Request accepts a path of its site; Node's does not. */
class SiteRequest {
  readonly url: string;

  constructor(path: string) {
    this.url = new URL(path, origin).href;
  }
}

let fakeCacheStorage: ReturnType<typeof fakeCaches>;
beforeEach(() => {
  fakeCacheStorage = fakeCaches(origin);
  vi.stubGlobal('caches', fakeCacheStorage.caches);
  vi.stubGlobal('fetch', fakeCacheStorage.fetch);
  vi.stubGlobal('Request', SiteRequest);
  for (const path of [...files.all, ...oldFiles.all]) fakeCacheStorage.serve(path, path);
  fakeCacheStorage.serve('/', '<html>new</html>');
  fakeCacheStorage.serve('/theme.js', 'theme');
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A request as the browser creates it; Node's Request supports neither navigation nor destination. */
const requestTo = (path: string, rest: object = {}) =>
  ({ url: new URL(path, origin).href, method: 'GET', mode: 'cors', destination: '', ...rest }) as Request;
const navigation = { mode: 'navigate', destination: 'document' };
const kept = async (name: string, path: string) => (await (await caches.open(name)).match(path))?.text();

describe('the worker', () => {
  it('answers hashed files, the files beside the page, and the page', () => {
    expect(requestKindOf(requestTo('/assets/index-AAAAAAAA.js'), origin, files)).toBe('asset');
    expect(requestKindOf(requestTo('/theme.js'), origin, files)).toBe('beside');
    for (const path of ['/', '/signin?from=%2Fdata', '/data?device=A&history=1'])
      expect(requestKindOf(requestTo(path, navigation), origin, files), path).toBe('page');
  });

  it.each([
    ['a call', '/admin-api/client/pc/device/map', {}],
    ['a call of the app', '/app-api/member/user/get', {}],
    ['the live stream', '/admin-api/client/pc/live', {}],
    ['a call opened in a tab', '/admin-api/system/console/settings', navigation],
    ['a portrait', '/avatar/7c1.png', { mode: 'no-cors', destination: 'image' }],
    ['the page of the open API', '/open-api', navigation],
    ['the way to the farm’s own sign-in', '/auth/oidc/start', navigation],
    ['a camera’s frame', '/embed/signed', { mode: 'navigate', destination: 'iframe' }],
    ['a file opened in a tab', '/icons/icon-192.png', navigation],
    ['a POST', '/assets/index-AAAAAAAA.js', { method: 'POST' }],
    ['another site’s file', 'https://tiles.test/assets/index-AAAAAAAA.js', {}],
  ])('does not answer %s', (_, path, rest) => {
    expect(requestKindOf(requestTo(path, rest), origin, files)).toBeNull();
  });
});

describe('an installed worker', () => {
  it('caches the shell and the page, nothing else', async () => {
    await install(files);
    expect(fakeCacheStorage.held(assetsCache)).toEqual([...files.shell].sort());
    expect(fakeCacheStorage.held(pageCache(files))).toEqual(['/', '/theme.js']);
  });

  it('fetches only files that the earlier one does not have, and the language in use', async () => {
    await install(oldFiles);
    await cacheLoadedAssets(['/assets/tr-tr-00000000.js'], oldFiles);
    fakeCacheStorage.fetched.length = 0;
    await install({ ...files, shell: oldFiles.shell });
    expect(fakeCacheStorage.fetched.sort()).toEqual(['/', '/assets/tr-tr-EEEEEEEE.js', '/theme.js']);
  });

  it('fails entirely when a file does not arrive: the earlier one stays', async () => {
    fakeCacheStorage.serve('/assets/index-BBBBBBBB.css', null);
    await expect(install(files)).rejects.toThrow();
  });

  it('removes files of other builds once it is active', async () => {
    await install(oldFiles);
    await cacheLoadedAssets(['/assets/tr-tr-00000000.js', '/assets/index-AAAAAAAA.js'], oldFiles);
    await (await caches.open('somebody-else')).add('/theme.js');
    await install(files);
    await deleteOldCaches(files);
    expect(await caches.keys()).toEqual([assetsCache, 'somebody-else', pageCache(files)]);
    expect(fakeCacheStorage.held(assetsCache)).toEqual(
      ['/assets/index-AAAAAAAA.js', '/assets/index-BBBBBBBB.css', '/assets/tr-tr-EEEEEEEE.js'].sort(),
    );
  });

  it('caches what the page had loaded, but no path unknown to the build', async () => {
    await cacheLoadedAssets(['/assets/NoticesPage-CCCCCCCC.js', '/assets/../avatar/7.png', '/avatar/7.png'], files);
    expect(fakeCacheStorage.held(assetsCache)).toEqual(['/assets/NoticesPage-CCCCCCCC.js']);
    fakeCacheStorage.fetched.length = 0;
    await cacheLoadedAssets(['/assets/NoticesPage-CCCCCCCC.js'], files);
    expect(fakeCacheStorage.fetched).toEqual([]);
  });

  it('recognises a language file by its name', () => {
    expect(languagesLike(['/assets/tr-tr-00000000.js', '/assets/index-AAAAAAAA.js'], files)).toEqual([
      '/assets/tr-tr-EEEEEEEE.js',
    ]);
  });
});

describe('a file under a hashed name', () => {
  const path = '/assets/NoticesPage-CCCCCCCC.js';

  it('is fetched once', async () => {
    expect(await (await serveAsset(requestTo(path))).text()).toBe(path);
    fakeCacheStorage.serve(path, null);
    expect(await (await serveAsset(requestTo(path))).text()).toBe(path);
    expect(fakeCacheStorage.fetched).toEqual([path]);
  });

  it('is not cached when it does not exist', async () => {
    const answer = await serveAsset(requestTo('/assets/gone-00000000.js'));
    expect(answer.status).toBe(404);
    expect(fakeCacheStorage.held(assetsCache)).toEqual([]);
  });

  it('beside the page is the build’s own', async () => {
    await install(files);
    fakeCacheStorage.serve('/theme.js', 'another theme');
    expect(await (await serveUnhashedFile(requestTo('/theme.js'), files)).text()).toBe('theme');
  });
});

describe('the page', () => {
  const work: Promise<unknown>[] = [];
  const opened = (path = '/data') => servePage(requestTo(path, navigation), files, (more) => void work.push(more));
  const done = () => Promise.all(work.splice(0));

  it('comes from the server if it answers, and is cached with its newest headers', async () => {
    await install(files);
    fakeCacheStorage.serve('/data', '<html>new</html>');
    expect(await (await opened()).text()).toBe('<html>new</html>');
    await done();
    expect(await kept(pageCache(files), '/')).toBe('<html>new</html>');
    expect(fakeCacheStorage.fetched.at(-1)).toBe('/data');
  });

  it('of another build is shown but not cached, because its files are not', async () => {
    await install(files);
    fakeCacheStorage.serve('/data', '<html>newer</html>');
    expect(await (await opened()).text()).toBe('<html>newer</html>');
    await done();
    expect(await kept(pageCache(files), '/')).toBe('<html>new</html>');
  });

  it('is the cached one without a network', async () => {
    await install(files);
    fakeCacheStorage.serve('/data', null);
    expect(await (await opened()).text()).toBe('<html>new</html>');
    await done();
  });

  it('is the cached one if the server takes longer than three seconds', async () => {
    await install(files);
    const release = fakeCacheStorage.hold('/data', '<html>late</html>');
    vi.useFakeTimers();
    const shown = opened();
    await vi.advanceTimersByTimeAsync(2_900);
    let there = false;
    void shown.then(() => {
      there = true;
    });
    await vi.advanceTimersByTimeAsync(50);
    expect(there).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(await (await shown).text()).toBe('<html>new</html>');
    release();
    await done();
  });

  it('is the browser’s own failure if nothing is cached', async () => {
    fakeCacheStorage.serve('/data', null);
    await expect(opened()).rejects.toThrow('no network');
  });
});
