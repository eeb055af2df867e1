import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeCaches } from '@/test/caches';
import { assetsCache, type Files, languagesLike, pageCache } from './files';
import { asset, beside, install, keepUsed, kindOf, page, tidy } from './serve';

const origin = 'https://farm.test';
const files: Files = {
  build: 'new',
  shell: ['/assets/index-AAAAAAAA.js', '/assets/index-BBBBBBBB.css'],
  beside: ['/theme.js'],
  all: [
    '/assets/index-AAAAAAAA.js',
    '/assets/index-BBBBBBBB.css',
    '/assets/InformPage-CCCCCCCC.js',
    '/assets/en-us-DDDDDDDD.js',
    '/assets/tr-tr-EEEEEEEE.js',
  ],
};
const old: Files = { ...files, build: 'old', all: ['/assets/index-AAAAAAAA.js', '/assets/tr-tr-00000000.js'] };

/** A browser's request takes a path of its site; Node's does not. */
class SiteRequest {
  readonly url: string;

  constructor(path: string) {
    this.url = new URL(path, origin).href;
  }
}

let world: ReturnType<typeof fakeCaches>;
beforeEach(() => {
  world = fakeCaches(origin);
  vi.stubGlobal('caches', world.caches);
  vi.stubGlobal('fetch', world.fetch);
  vi.stubGlobal('Request', SiteRequest);
  for (const path of [...files.all, ...old.all]) world.serve(path, path);
  world.serve('/', '<html>new</html>');
  world.serve('/theme.js', 'theme');
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A request as the browser makes it; Node's own knows neither navigation nor destination. */
const asking = (path: string, rest: object = {}) =>
  ({ url: new URL(path, origin).href, method: 'GET', mode: 'cors', destination: '', ...rest }) as Request;
const navigation = { mode: 'navigate', destination: 'document' };
const kept = async (name: string, path: string) => (await (await caches.open(name)).match(path))?.text();

describe('what the worker answers', () => {
  it('is files under hashed names, what stands beside the page, and the page', () => {
    expect(kindOf(asking('/assets/index-AAAAAAAA.js'), origin, files)).toBe('asset');
    expect(kindOf(asking('/theme.js'), origin, files)).toBe('beside');
    for (const path of ['/', '/signin?from=%2Fdata', '/data?device=A&history=1'])
      expect(kindOf(asking(path, navigation), origin, files), path).toBe('page');
  });

  it.each([
    ['a call', '/admin-api/client/pc/device/map', {}],
    ['a call of the app', '/app-api/member/user/get', {}],
    ['the live stream', '/admin-api/client/pc/live', {}],
    ['a call that somebody opens in a tab', '/admin-api/system/console/settings', navigation],
    ['a portrait', '/avatar/7c1.png', { mode: 'no-cors', destination: 'image' }],
    ['the page of the open API', '/open-api', navigation],
    ['a camera’s frame', '/embed/signed', { mode: 'navigate', destination: 'iframe' }],
    ['a file somebody opens', '/icons/icon-192.png', navigation],
    ['what is sent', '/assets/index-AAAAAAAA.js', { method: 'POST' }],
    ['another site’s file', 'https://tiles.test/assets/index-AAAAAAAA.js', {}],
  ])('is not %s', (_, path, rest) => {
    expect(kindOf(asking(path, rest), origin, files)).toBeNull();
  });
});

describe('a worker that is installed', () => {
  it('keeps the shell and the page, nothing else', async () => {
    await install(files);
    expect(world.held(assetsCache)).toEqual([...files.shell].sort());
    expect(world.held(pageCache(files))).toEqual(['/', '/theme.js']);
  });

  it('fetches only what an earlier one does not have, and the language that was in use', async () => {
    await install(old);
    await keepUsed(['/assets/tr-tr-00000000.js'], old);
    world.fetched.length = 0;
    await install({ ...files, shell: old.shell });
    expect(world.fetched.sort()).toEqual(['/', '/assets/tr-tr-EEEEEEEE.js', '/theme.js']);
  });

  it('fails whole where a file does not come: the earlier one stays', async () => {
    world.serve('/assets/index-BBBBBBBB.css', null);
    await expect(install(files)).rejects.toThrow();
  });

  it('throws away what belongs to others only, once it is in charge', async () => {
    await install(old);
    await keepUsed(['/assets/tr-tr-00000000.js', '/assets/index-AAAAAAAA.js'], old);
    await (await caches.open('somebody-else')).add('/theme.js');
    await install(files);
    await tidy(files);
    expect(await caches.keys()).toEqual([assetsCache, 'somebody-else', pageCache(files)]);
    expect(world.held(assetsCache)).toEqual(
      ['/assets/index-AAAAAAAA.js', '/assets/index-BBBBBBBB.css', '/assets/tr-tr-EEEEEEEE.js'].sort(),
    );
  });

  it('keeps what the page used before it, and no path that the build does not know', async () => {
    await keepUsed(['/assets/InformPage-CCCCCCCC.js', '/assets/../avatar/7.png', '/avatar/7.png'], files);
    expect(world.held(assetsCache)).toEqual(['/assets/InformPage-CCCCCCCC.js']);
    world.fetched.length = 0;
    await keepUsed(['/assets/InformPage-CCCCCCCC.js'], files);
    expect(world.fetched).toEqual([]);
  });

  it('knows a language by its name', () => {
    expect(languagesLike(['/assets/tr-tr-00000000.js', '/assets/index-AAAAAAAA.js'], files)).toEqual([
      '/assets/tr-tr-EEEEEEEE.js',
    ]);
  });
});

describe('a file under a hashed name', () => {
  const path = '/assets/InformPage-CCCCCCCC.js';

  it('is fetched once', async () => {
    expect(await (await asset(asking(path))).text()).toBe(path);
    world.serve(path, null);
    expect(await (await asset(asking(path))).text()).toBe(path);
    expect(world.fetched).toEqual([path]);
  });

  it('that is not there is not kept', async () => {
    const answer = await asset(asking('/assets/gone-00000000.js'));
    expect(answer.status).toBe(404);
    expect(world.held(assetsCache)).toEqual([]);
  });

  it('beside the page is that of the build', async () => {
    await install(files);
    world.serve('/theme.js', 'another theme');
    expect(await (await beside(asking('/theme.js'), files)).text()).toBe('theme');
  });
});

describe('the page', () => {
  const work: Promise<unknown>[] = [];
  const opened = (path = '/data') => page(asking(path, navigation), files, (more) => void work.push(more));
  const done = () => Promise.all(work.splice(0));

  it('comes from the server where it answers, with its newest headers kept', async () => {
    await install(files);
    world.serve('/data', '<html>new</html>');
    expect(await (await opened()).text()).toBe('<html>new</html>');
    await done();
    expect(await kept(pageCache(files), '/')).toBe('<html>new</html>');
    expect(world.fetched.at(-1)).toBe('/data');
  });

  it('of another build is shown and not kept: its files are not', async () => {
    await install(files);
    world.serve('/data', '<html>newer</html>');
    expect(await (await opened()).text()).toBe('<html>newer</html>');
    await done();
    expect(await kept(pageCache(files), '/')).toBe('<html>new</html>');
  });

  it('is the kept one without a network', async () => {
    await install(files);
    world.serve('/data', null);
    expect(await (await opened()).text()).toBe('<html>new</html>');
    await done();
  });

  it('is the kept one where the server takes longer than three seconds', async () => {
    await install(files);
    const letGo = world.hold('/data', '<html>late</html>');
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
    letGo();
    await done();
  });

  it('is the browser’s own failure where nothing is kept', async () => {
    world.serve('/data', null);
    await expect(opened()).rejects.toThrow('no network');
  });
});
