import { type BrowserContext, devices, type Page } from '@playwright/test';
import { fillSignIn } from './pages.ts';
import { addresses, applyYaml, siteOf } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type Session, sessionKey, setOwnAddress } from './testUsers.ts';

// How a session ends and continues, in one tab and in several. Each test has its own user.

test.use({ host: 'sessions.localhost' });
const site = () => siteOf('sessions');

let person = { tenantName: 'sessions', userName: '', password: 'as-long-as-it-lasts' };
const nickname = 'Deniz Aydın';
let users = 0;

test.beforeEach(async ({ context }) => {
  await setOwnAddress(context);
  users += 1;
  person = { ...person, userName: `deniz-${users}` };
  const { userName, password } = person;
  const mobile = `+90555${1_000_000 + users}`;
  const user = { userName, password, nickname, email: 'deniz@example.com', mobile };
  const place = { hosts: ['sessions.localhost'], timeZone: 'Europe/Istanbul', language: 'en-us' };
  await applyYaml(JSON.stringify({ tenants: [{ name: person.tenantName, ...place, users: [user] }] }));
});

const renewal = '/admin-api/system/auth/refresh-token';
const field = (page: Page) => page.getByRole('textbox', { name: 'Nickname' });
const offer = (page: Page) => page.getByText('Continue where you left off?');

/** Counts a browser's calls to a path. */
function callsTo(context: BrowserContext, path: string): { count: number } {
  const calls = { count: 0 };
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === path) calls.count += 1;
  });
  return calls;
}

const kept = (page: Page): Promise<Session> =>
  page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? 'null'), sessionKey);

/**
 * Changes the session in the browser's storage from outside the console's tabs, which are notified
 * as of another tab's change.
 */
async function change(context: BrowserContext, how: Partial<Session>): Promise<Session> {
  const aside = await context.newPage();
  await aside.goto('/favicon.svg');
  const session = await kept(aside);
  await aside.evaluate(([key, text]) => localStorage.setItem(key, text), [
    sessionKey,
    JSON.stringify({ ...session, ...how }),
  ] as const);
  await aside.close();
  return session;
}

const invalidToken = 'x'.repeat(43);

async function isRefused(accessToken: string): Promise<boolean> {
  const answer = await fetch(`${addresses().console}/app-api/member/user/get`, {
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  return (await answer.json()).code === 401;
}

test('a half filled form outlives a renewal, and a session that cannot be renewed', async ({ page, context }) => {
  await openSignedIn(page, person, '/profile', site());
  await field(page).fill('Deniz A. Yılmaz');
  await page.getByRole('textbox', { name: 'Email' }).fill('deniz.yilmaz@');
  const renewals = callsTo(context, renewal);
  await change(context, { accessToken: invalidToken });
  // The next call is refused.
  await page.getByRole('tab', { name: 'My app' }).click();
  await expect(page).toHaveURL(/\/dashboard-default/);
  expect(renewals.count).toBe(1);
  expect((await kept(page)).accessToken).not.toBe(invalidToken);

  await page.getByRole('banner').getByRole('link', { name: nickname }).click();
  await expect(offer(page)).toBeVisible();
  await expect(field(page)).toHaveValue(nickname);
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(field(page)).toHaveValue('Deniz A. Yılmaz');
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue('deniz.yilmaz@');
  await expect(offer(page)).toBeHidden();

  await page.getByRole('textbox', { name: 'Email' }).fill('deniz.yilmaz@example.com');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('modify successfully')).toBeVisible();
  await page.reload();
  await expect(field(page)).toHaveValue('Deniz A. Yılmaz');
  await expect(offer(page)).toBeHidden();

  await field(page).fill('Deniz Returns');
  await change(context, { accessToken: invalidToken, refreshToken: invalidToken });
  await page.getByRole('tab', { name: 'My app' }).click();
  await expect(page).toHaveURL(/\/signin\?/);
  await expect(page.getByText('You have been signed out')).toBeVisible();
  expect(await page.evaluate((key) => localStorage.getItem(key), sessionKey)).not.toContain('accessToken');

  await fillSignIn(page, person.userName, person.password);
  await solveSlider(page);
  await expect(page).toHaveURL(/\/profile/);
  await page.getByRole('tab', { name: 'Essential information' }).click();
  await expect(offer(page)).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(field(page)).toHaveValue('Deniz A. Yılmaz');
  await page.reload();
  await expect(field(page)).toHaveValue('Deniz A. Yılmaz');
  await expect(offer(page)).toBeHidden();
});

test.describe('two tabs', () => {
  const open = async (page: Page, context: BrowserContext): Promise<Page> => {
    await openSignedIn(page, person, '/profile', site());
    await expect(field(page)).toHaveValue(nickname);
    const second = await context.newPage();
    await second.goto('/profile');
    await expect(field(second)).toHaveValue(nickname);
    return second;
  };

  test('renew the session once between them, silently', async ({ page, context }) => {
    const second = await open(page, context);
    await field(page).fill('Deniz Typing');
    const renewals = callsTo(context, renewal);
    const before = await change(context, { renewAt: 0 });
    await expect.poll(async () => (await kept(page)).accessToken).not.toBe(before.accessToken);
    expect((await kept(page)).renewAt).toBeGreaterThan(Date.now());
    await expect(page).toHaveURL(/\/profile/);
    await expect(field(page)).toHaveValue('Deniz Typing');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('modify successfully')).toBeVisible();
    for (const tab of [page, second]) {
      await tab.reload();
      await expect(field(tab)).toHaveValue('Deniz Typing');
      await expect(tab).toHaveURL(/\/profile/);
    }
    expect(renewals.count).toBe(1);
  });

  test('without locks both get the same new session', async ({ page, context }) => {
    await context.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined }));
    const second = await open(page, context);
    const renewalAnswers: { code: number; data: { accessToken: string } }[] = [];
    let bothAsk = () => {};
    const both = new Promise<void>((done) => {
      bothAsk = done;
    });
    let openRequests = 0;
    await context.route(`**${renewal}*`, async (route) => {
      openRequests += 1;
      if (openRequests === 2) bothAsk();
      await both;
      // Only browsers resolve *.localhost.
      const response = await route.fetch({ url: route.request().url().replace(site(), addresses().console) });
      renewalAnswers.push(await response.json());
      await route.fulfill({ response });
    });
    const before = await change(context, { renewAt: 0 });
    for (const tab of [page, second]) {
      await expect.poll(async () => (await kept(tab)).accessToken).not.toBe(before.accessToken);
      await tab.reload();
      await expect(field(tab)).toHaveValue(nickname);
    }
    expect(renewalAnswers.map(({ code }) => code)).toEqual([200, 200]);
    expect(new Set(renewalAnswers.map(({ data }) => data.accessToken)).size).toBe(1);
  });

  test('are signed in together, and signed out, also on the server, and drafts are removed', async ({
    page,
    context,
  }) => {
    await page.goto('/signin');
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    const second = await context.newPage();
    await openSignedIn(second, person, '/profile', site());
    await expect(page).toHaveURL(/\/dashboard-default/);
    await expect(page.getByRole('banner')).toContainText(nickname);

    await field(second).fill('Never mind');
    const { accessToken } = await kept(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Quit' }).click();
    for (const tab of [page, second]) {
      await expect(tab).toHaveURL(/\/signin$/);
      await expect(tab.getByText('You have been signed out')).toBeHidden();
    }
    expect(await second.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
      'Never mind',
    );
    await expect.poll(() => isRefused(accessToken)).toBe(true);
  });
});

test.describe('on a phone', () => {
  const { defaultBrowserType: _, ...iPhone } = devices['iPhone 13'];
  test.use(iPhone);

  /** Records the documents that the page loads. */
  const documents = (page: Page): string[] => {
    const loaded: string[] = [];
    page.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame())
        loaded.push(new URL(request.url()).pathname);
    });
    return loaded;
  };

  /** The page shows the sign-in and loads nothing more, so also no other document. */
  const settled = async (page: Page) => {
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await page.waitForLoadState('networkidle');
  };

  test('a sign-in begins with one reload, the next one with another', async ({ page, context }) => {
    const loaded = documents(page);
    await page.goto('/signin');
    await settled(page);
    expect(loaded.splice(0)).toEqual(['/signin', '/signin']);
    await page.reload();
    await settled(page);
    expect(loaded.splice(0)).toHaveLength(1);
    await page.goto('/profile');
    await settled(page);
    expect(loaded.splice(0)).toHaveLength(1);

    await fillSignIn(page, person.userName, person.password);
    await solveSlider(page);
    await expect(page).toHaveURL(/\/profile/);
    expect(loaded).toEqual([]);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Quit' }).click();
    await settled(page);
    // The sign-in has cleared the mark: this is a new reload.
    expect(loaded).toEqual(['/signin']);

    // Where storage is forbidden, no mark can be set: there is no reload, so no loop.
    const strict = await context.newPage();
    await strict.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('forbidden', 'SecurityError');
          },
        });
      }
    });
    const once = documents(strict);
    await strict.goto('/signin');
    await settled(strict);
    expect(once).toEqual(['/signin']);
  });
});
