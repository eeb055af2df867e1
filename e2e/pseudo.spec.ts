import type { Page } from '@playwright/test';
import antd from '../web/node_modules/antd/lib/locale/en_US.js';
import texts from '../web/src/locales/en-us.json' with { type: 'json' };
import { pseudoTexts } from '../web/src/test/pseudo.ts';
import { publish } from './device.ts';
import { runRule } from './rule.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { callApi, openSignedIn, type TestUser } from './testUsers.ts';
import { cutTexts, wideElements, words } from './visibleTexts.ts';

// Every page in a language whose texts are a third longer than English and have no plain letters:
// nothing is untranslated, cut off or wider than the screen. The names of the tenant have no Latin
// letters.

const grower: TestUser = { tenantName: 'pseudo', userName: 'pseudo', password: 'brackets-all-around' };
const client = '/admin-api/client/pc';
const secret = 'e2e-pseudo-7d10c5a94be2f683';

test.beforeAll(async () => {
  await applyYaml(`
tenants:
  - name: pseudo
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: pseudo, password: ${grower.password}, nickname: 丙, email: pseudo@example.com}]
    scenes: [北坡]
    devices:
      - {deviceName: PS-1, serial: P-1, noteName: 桅一, product: weather-mast, secret: ${secret}, scene: 北坡, longitude: 27.3, latitude: 37.8}
      - {deviceName: PS-2, serial: P-2, noteName: 室二, product: greenhouse-climate, scene: 北坡}
`);
  await callApi(grower, 'POST', `${client}/notice-channel/create`, {
    noticeName: '渠一',
    noticeMode: ['email'],
    email: { emails: ['pseudo@example.com'] },
    phoneMessage: [],
  });
  await runRule(grower, 'PS-1', '霜一', { alarmDesc: '去' });
  const now = Date.now();
  const past = [9, 8, 7, 6, 5].map((airTemperature, i) => ({
    ts: now - (6 - i) * 600_000,
    values: { airTemperature, airHumidity: 90 },
  }));
  await publish('PS-1', secret, past);
  await publish('PS-1', secret, { airTemperature: 1, airHumidity: 90 });
});

const plainSpaces = (text: string) => text.replaceAll(/\s/g, ' ');

/**
 * What the server answers is data, or the server's to translate; its own tests see to that. An answer is
 * gathered before the page has it: a page that is left takes the bodies of its answers with it.
 */
async function gatherData(page: Page): Promise<Set<string>> {
  const data = new Set<string>();
  const gather = (value: unknown): void => {
    if (typeof value === 'string') for (const line of value.split('\n')) data.add(plainSpaces(line));
    else if (typeof value === 'object' && value) for (const one of Object.values(value)) gather(one);
  };
  await page.route(/\/(admin|app)-api\/(?!client\/pc\/live)/, async (route) => {
    const response = await route.fetch();
    if (response.headers()['content-type']?.startsWith('application/json')) gather(await response.json());
    await route.fulfill({ response });
  });
  return data;
}

/** Words that are not the console's texts: the names of months and languages, antd's own texts. */
function knownWords(): string[] {
  const names = Array.from({ length: 12 }, (_, month) =>
    (['short', 'long'] as const).map((length) =>
      new Intl.DateTimeFormat('en-US', { month: length, timeZone: 'UTC' }).format(Date.UTC(2026, month, 3)),
    ),
  ).flat();
  const days = Array.from({ length: 7 }, (_, day) =>
    (['short', 'long'] as const).map((length) =>
      new Intl.DateTimeFormat('en-US', { weekday: length, timeZone: 'UTC' }).format(Date.UTC(2026, 0, day)),
    ),
  ).flat();
  const own = [
    'Tilth',
    'English',
    'UTC',
    'pseudo',
    'example.com',
    'weather-mast',
    'greenhouse-climate',
    'MQTT',
    'HTTP',
    'SECRET',
    'orchard',
  ];
  return [...names, ...days, ...own];
}

function antdTexts(node: unknown): string[] {
  if (typeof node === 'string') return [node];
  return typeof node === 'object' && node ? Object.values(node).flatMap(antdTexts) : [];
}

async function useTexts(page: Page): Promise<void> {
  await page.route(/\/assets\/en-us-[\w-]{8}\.js$/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `export default ${JSON.stringify(pseudoTexts(texts))};`,
    }),
  );
}

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Waits until the page has its heading, nothing loads, and its texts, apart from ages, are the same twice. */
async function settle(page: Page): Promise<void> {
  await expect(page.locator('h1').first()).toBeAttached();
  await expect(page.locator('[aria-busy="true"], [class*="skeleton"]')).toHaveCount(0);
  let before: string | undefined;
  await expect
    .poll(async () => {
      const [was, is] = [before, (await page.locator('body').textContent())?.replace(/\d+/g, '')];
      before = is;
      return is === was;
    })
    .toBe(true);
}

/** Scans the open page on a desktop and on a phone. */
async function faultsOf(page: Page, name: string, data: Set<string>): Promise<string[]> {
  const known = [...knownWords(), ...antdTexts(antd)];
  const faults: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const say = (what: string) => faults.push(`${name}, ${size.width} px: ${what}`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (over > 0) say(`${over} px too wide: ${await page.evaluate(wideElements)}`);
    for (const cut of await page.evaluate(cutTexts)) say(`cut off: ${cut}`);
    for (const text of await page.evaluate(words)) {
      const rest = [...data, ...known]
        .filter((known) => known.length > 1)
        .sort((a, b) => b.length - a.length)
        .reduce((left, known) => left.replaceAll(known, ' '), plainSpaces(text));
      if (/[A-Za-z]{2,}/.test(rest)) say(`untranslated: ${text}`);
    }
  }
  return [...new Set(faults)];
}

const paths = [
  '/dashboard-default',
  '/data',
  '/data?device=PS-1&history=1',
  '/device',
  '/device?device=PS-1',
  '/analysis?devices=PS-1&range=day',
  '/analysis',
  '/alarm',
  '/alarm?rule=new',
  '/inform',
  '/notification',
  '/notification?channel=new',
  '/message',
  '/profile',
  '/profile?tab=password',
  '/profile?tab=people',
  '/profile?tab=app',
  '/profile?tab=webhook',
  '/profile/activity',
  '/billing',
  '/rtl-page',
  '/virtual-reality',
  '/signup',
  '/invitation',
  '/nowhere',
];

test('every page has room for longer texts and only translated ones', async ({ page }) => {
  const data = await gatherData(page);
  await useTexts(page);
  await page.goto('/signin');
  await expect(page.getByRole('button', { name: /^\[Šîĝñ îñ/ })).toBeVisible();
  const faults = await faultsOf(page, '/signin', data);
  await openSignedIn(page, grower, '/dashboard-default');
  let notice = 0;
  await expect
    .poll(async () => {
      const { data } = await callApi(grower, 'GET', `${client}/alarm-notice/page?pageNo=1&pageSize=10`);
      notice = data.list[0]?.id;
      return notice;
    })
    .toBeGreaterThan(0);
  for (const path of [...paths.slice(0, -1), `/inform?id=${notice}`, '/nowhere', '/message']) {
    await page.goto(path);
    await settle(page);
    faults.push(...(await faultsOf(page, path, data)));
  }
  await page.getByRole('button', { name: /^\[Šéţţîñĝš/ }).click();
  faults.push(...(await faultsOf(page, 'settings', data)));
  expect(faults).toEqual([]);
});

test('the scans find a hard-coded text and one that is cut off', async ({ page }) => {
  await page.goto('/signin');
  await expect(page.getByRole('main')).toBeVisible();
  const before = await page.evaluate(cutTexts);
  await page.evaluate(() => {
    const box = document.createElement('p');
    box.textContent = 'Hard-coded and cut off';
    box.title = '';
    box.style.cssText = 'width: 40px; overflow: hidden; white-space: nowrap';
    document.body.append(box);
  });
  expect(await page.evaluate(words)).toContain('Hard-coded and cut off');
  expect((await page.evaluate(cutTexts)).length).toBe(before.length + 1);
});
