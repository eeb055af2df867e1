import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page, Route } from '@playwright/test';
import { publish, secretOf } from './device.ts';
import { card, detail, noticeTenant, path } from './noticeTenant.ts';
import { button, expectHomePage, signIn } from './pages.ts';
import { nextBuild, startReleaseProxy } from './releaseProxy.ts';
import { addresses } from './server.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSession, openSignedIn, storeSession } from './testUsers.ts';

// The console as an app: installed, without a network, over a slow connection. All other tests
// block the service worker.
test.use({ serviceWorkers: 'allow' });

const elif = { userName: 'elif', password: 'long-enough-secret', tenantName: 'orchard' };
const wang = { userName: 'wang', password: 'another-long-secret', tenantName: 'neighbour' };

/** Waits until the service worker controls the page. */
const workerReady = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null);

/** The keys of a user's stored answers. */
const keptAnswerKeys = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('tilth-last-seen');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const base = opening.result;
          const asking = base.transaction('answers').objectStore('answers').getAllKeys();
          asking.onsuccess = () => {
            base.close();
            resolve(asking.result.map(String));
          };
        };
      }),
  );

/** Every path in the browser's caches. */
const cached = (page: Page) =>
  page.evaluate(async () => {
    const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
    return all.flat().map(({ url }) => new URL(url).pathname);
  });

/**
 * All text on the page, and everything that the browser stores for the site: storages, databases,
 * and caches.
 */
const allStoredText = (page: Page) =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const parts: unknown[] = [
      document.documentElement.outerHTML,
      document.title,
      { ...localStorage },
      { ...sessionStorage },
    ];
    for (const { name } of await indexedDB.databases()) {
      const base = await done(indexedDB.open(name ?? ''));
      for (const table of base.objectStoreNames) {
        const store = base.transaction(table).objectStore(table);
        parts.push(await Promise.all([done(store.getAllKeys()), done(store.getAll())]));
      }
      base.close();
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const answer = await cache.match(request, { ignoreVary: true });
        parts.push(request.url, [...(answer?.headers ?? [])]);
        if (!new URL(request.url).pathname.startsWith('/assets/')) parts.push(await answer?.text());
      }
    }
    return JSON.stringify(parts);
  });

/** Hides the page for a moment, so that it stores its answers. */
const hidePage = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    Reflect.deleteProperty(document, 'hidden');
    document.dispatchEvent(new Event('visibilitychange'));
  });

/** Opens the home page and the data centre, and waits until their answers are stored. */
async function visitPages(page: Page): Promise<void> {
  await publish('WS-0001', secretOf('WS-0001'), { airTemperature: 3.7, airHumidity: 88 });
  await openSignedIn(page, elif, '/dashboard-default?device=WS-0001');
  await expect(page.getByRole('region', { name: 'Readings' })).toContainText('3.7');
  await workerReady(page);
  await page.getByRole('link', { name: 'Data center' }).click();
  await expect(page.getByRole('article', { name: 'Orchard mast' })).toContainText('3.7');
  await hidePage(page);
  await expect.poll(() => keptAnswerKeys(page)).toContainEqual(expect.stringContaining('"page"'));
}

/**
 * Takes the network away, or restores it. Chromium alone would leave the network to a restarted
 * service worker.
 */
async function network(context: BrowserContext, there: boolean): Promise<void> {
  await context.setOffline(!there);
  const ofWorker = (route: Route) =>
    route.request().serviceWorker() ? route.abort('internetdisconnected') : route.fallback();
  if (there) await context.unrouteAll();
  else await context.route('**', ofWorker);
  // A page that is opened while there is no network may not learn it from the browser.
  await context.addInitScript(() => {
    if (window.name !== 'offline') return;
    Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => window.name !== 'offline' });
  });
  for (const page of context.pages()) {
    await page.evaluate((online) => {
      window.name = online ? '' : 'offline'; // outlives a reload, and is no storage
      if (online) window.dispatchEvent(new Event('online'));
    }, there);
  }
}

async function signOut(page: Page): Promise<void> {
  await button(page, 'Settings').click();
  await page.getByRole('button', { name: 'Quit' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
}

test('can be installed', async ({ playwright }, { project }) => {
  // A test's context is a private window, in which browsers do not install anything.
  const folder = mkdtempSync(join(tmpdir(), 'tilth-profile-'));
  const { launchOptions } = project.use;
  const context = await playwright.chromium.launchPersistentContext(folder, { ...launchOptions });
  try {
    const page = await context.newPage();
    await storeSession(page, await openSession(elif));
    await page.goto(addresses().console);
    await expectHomePage(page);
    await workerReady(page);
    const cdp = await context.newCDPSession(page);
    const { url, errors, data = '' } = await cdp.send('Page.getAppManifest');
    expect(url).toBe(`${addresses().console}/app.en-us.webmanifest`);
    expect(errors).toEqual([]);
    expect(JSON.parse(data)).toMatchObject({ name: 'Tilth', display: 'standalone', start_url: '/', lang: 'en-US' });
    expect((await cdp.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([]);
    await page.getByRole('banner').getByRole('combobox', { name: 'Language' }).selectOption('Türkçe');
    await expect.poll(async () => (await cdp.send('Page.getAppManifest')).url).toContain('/app.tr-tr.webmanifest');
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('without a network a reload and a start show the stored answers with their time', async ({ page, context }) => {
  await visitPages(page);
  await network(context, false);
  await expect(page.getByRole('main').getByRole('status').filter({ hasText: 'No connection' })).toBeVisible();
  await expect(page.getByText(/^What you see was last received at \d\d:\d\d\.$/)).toBeVisible();

  await page.reload();
  const card = page.getByRole('article', { name: 'Orchard mast' });
  await expect(card).toContainText('3.7');
  await expect(card.getByText(/^As of \d\d:\d\d$/)).toBeVisible();

  await page.getByRole('link', { name: 'Home page' }).click();
  const row = page.getByRole('treeitem', { name: /Orchard mast/ });
  await expect(row).toContainText('3.7');
  await expect(page.getByRole('region', { name: 'Devices' }).getByText(/^As of \d\d:\d\d$/)).toBeVisible();
  await row.click();
  await expect(page.getByRole('region', { name: 'Readings' }).getByText(/^As of \d\d:\d\d$/)).toBeVisible();

  // A page that was never opened here says that it is not available.
  await page.getByRole('link', { name: 'Equipment center' }).click();
  await expect(page.getByRole('heading', { name: 'This page is not kept on this device' })).toBeVisible();
  await page.getByRole('link', { name: 'Home page' }).click();
  await expect(row).toContainText('3.7');

  // A closed app opens without a network, too.
  await page.close();
  const opened = await context.newPage();
  await opened.goto('/data');
  const sameCard = opened.getByRole('article', { name: 'Orchard mast' });
  await expect(sameCard).toContainText('3.7');
  await expect(sameCard.getByText(/^As of \d\d:\d\d$/)).toBeVisible();

  await network(context, true);
  await publish('WS-0001', secretOf('WS-0001'), { airTemperature: 4.4 });
  await expect(sameCard).toContainText('4.4');
  await expect(opened.getByText(/^As of/)).toHaveCount(0);
});

test('without a network an opened alarm still says what to do, and an answer to it is not sent, then or later', async ({
  page,
  context,
}) => {
  const person = { tenantName: 'ford', userName: 'deniz', password: 'water-at-the-ford' };
  const devices = { 'FO-VALVE': 'Mast at the valve', 'FO-FAR': 'Mast beyond' };
  const ford = noticeTenant({ person, scene: 'Ford', secret: '9be2071dc45a83f6', devices });
  await ford.apply();
  const channel = await fetchApiData(person, 'POST', `${path}/notice-channel/create`, {
    noticeName: 'Mail',
    noticeMode: ['email'],
    email: { emails: ['ayla@example.com'] },
  });
  await ford.run('Cold beyond', 'FO-FAR');
  await ford.run('Cold at the valve', 'FO-VALVE', { alarmDesc: 'Open the lower valve.', passageway: [channel] });
  await ford.measure('FO-FAR', 1);
  await ford.noticeOf('Cold beyond');
  await ford.measure('FO-VALVE', -1.4);
  await ford.noticeOf('Cold at the valve');
  await openSignedIn(page, person, '/dashboard-default');
  await workerReady(page);
  await page.getByRole('link', { name: 'Alarm inform' }).click();
  // The newest opens by itself.
  await expect(detail(page).getByText('Open the lower valve.')).toBeVisible();
  await expect(detail(page)).toContainText('ayla@example.com');
  await expect(detail(page).locator('canvas')).toBeVisible();
  await hidePage(page);
  await expect.poll(() => keptAnswerKeys(page)).toContainEqual(expect.stringContaining('"chart"'));

  await network(context, false);
  await page.reload();
  await expect(detail(page).getByText('Open the lower valve.')).toBeVisible();
  await expect(detail(page).getByText(/^As of \d\d:\d\d$/)).toBeVisible();
  await expect(detail(page).getByText(/^−1\.4\s°C/)).toBeVisible();
  await expect(detail(page).locator('canvas')).toBeVisible();
  expect(await allStoredText(page)).not.toContain('ayla@example.com');

  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(request.url());
  });
  await button(page, 'I am on it').click();
  await expect(page.getByText('Not sent. Others are still told.')).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
  await card(page, 'Cold beyond').click();
  await expect(detail(page).getByText('This alarm was not opened on this device')).toBeVisible();

  await network(context, true);
  await expect(page.getByText('Connected again, everything is up to date')).toBeVisible();
  await card(page, 'Cold at the valve').click();
  await expect(detail(page)).toContainText('ayla@example.com');
  expect(sent).toEqual([]);
});

test('after signing out nothing is left for the next user in the same tab, with or without a network', async ({
  page,
  context,
}) => {
  const ofElif = /Orchard mast|WS-0001|Elif Kaya|elif@example/;
  await visitPages(page);
  // Caches hold the console's files and no user data.
  const paths = await cached(page);
  expect(paths).toContain('/');
  expect(paths.filter((path) => !/^\/(assets\/[^/]+|theme\.js|preload\.js|favicon\.svg)?$/.test(path))).toEqual([]);
  expect(await allStoredText(page)).toMatch(ofElif);

  await signOut(page);
  await expect.poll(() => keptAnswerKeys(page)).toEqual([]);
  await expect.poll(() => allStoredText(page)).not.toMatch(ofElif);
  // Without a network only the sign-in page is left, which says what it needs.
  await network(context, false);
  await expect(page.getByText('Signing in needs the server.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Needs a connection' })).toHaveAttribute('aria-disabled', 'true');
  await page.goto('/data');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(await keptAnswerKeys(page)).toEqual([]);
  await page.goto('/signin');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(await allStoredText(page)).not.toMatch(ofElif);
  await network(context, true);

  // Without a new document: the page's memory stays, as when a user fills in the form.
  await page.evaluate(
    ([key, newValue]) => {
      localStorage.setItem(key, newValue);
      window.dispatchEvent(new StorageEvent('storage', { key, newValue }));
    },
    ['tilth.session', JSON.stringify(await openSession(wang))] as const,
  );
  await expect(page).toHaveURL(/\/dashboard-default$/);
  await expect(page.getByRole('treeitem', { name: /东区气象站/ })).toBeVisible();
  await hidePage(page);
  await expect.poll(() => keptAnswerKeys(page)).toContainEqual(expect.stringContaining('"overview"'));
  expect(await allStoredText(page)).not.toMatch(ofElif);
  await network(context, false);
  await page.reload();
  await expect(page.getByRole('treeitem', { name: /东区气象站/ })).toBeVisible();
  expect(await allStoredText(page)).not.toMatch(ofElif);
});

test('a newer console is announced, and takes over when the user agrees', async ({ page }) => {
  const release = await startReleaseProxy(addresses().http);
  try {
    await signIn(page, release.address);
    await workerReady(page);
    await page.evaluate(() => Object.assign(window, { stillHere: true }));
    const caching = () => page.evaluate(async () => (await caches.keys()).filter((name) => name.includes('page')));
    const before = await caching();
    expect(before).toHaveLength(1);

    release.next();
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
    await expect(page.getByText('A new version of Tilth is ready')).toBeVisible();
    expect(await page.evaluate(() => 'stillHere' in window)).toBe(true);

    await button(page, 'Load it').click();
    await page.waitForFunction(() => !('stillHere' in window));
    await expectHomePage(page);
    await expect(page.locator('meta[name="tilth-build"]')).toHaveAttribute('content', nextBuild);
    await expect.poll(caching).toEqual([`tilth-page-${nextBuild}`]);
    await expect(page.getByText('A new version of Tilth is ready')).toBeHidden();
  } finally {
    await release.close();
  }
});
