import type { Page } from '@playwright/test';
import { expectAccessible, expectNoHorizontalScroll, signIn } from './pages.ts';
import { addresses } from './server.ts';
import { expect, test } from './test.ts';

const pages = [
  ['/billing', 'Billing'],
  ['/rtl-page', 'Right-to-left'],
  ['/virtual-reality', 'Virtual reality'],
  ['/signup', 'Sign up'],
] as const;

/** Records the page's requests to other servers, and what its content security policy refused. */
function watch(page: Page): { foreign: string[]; refused: string[] } {
  const seen = { foreign: [] as string[], refused: [] as string[] };
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.host !== addresses().http && url.protocol !== 'data:' && url.protocol !== 'blob:')
      seen.foreign.push(url.href);
  });
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) seen.refused.push(message.text());
  });
  return seen;
}

async function setTheme(page: Page, darkMode: boolean): Promise<void> {
  await page.evaluate((dark) => {
    localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: dark }, version: 0 }));
  }, darkMode);
}

for (const [theme, darkMode] of [
  ['light', false],
  ['dark', true],
] as const) {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    test(`demo pages are marked, fit and are accessible, ${theme} at ${width} px`, async ({ page }) => {
      const seen = watch(page);
      await signIn(page);
      await setTheme(page, darkMode);
      await page.setViewportSize({ width, height });
      for (const [path, title] of pages) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
        await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
        await expect(page.getByRole('note')).toContainText('Demo page: sample data');
        await expectNoHorizontalScroll(page);
        await expectAccessible(page);
      }
      expect(seen).toEqual({ foreign: [], refused: [] });
    });
  }
}

test('the picture pans with its readings', async ({ page }) => {
  await signIn(page);
  await page.goto('/virtual-reality');
  const soil = page.getByText('Soil moisture');
  const before = await soil.boundingBox();
  const look = page.getByRole('slider', { name: 'Look around' });
  await look.focus();
  await look.press('End');
  await expect(look).toHaveValue('100');
  await expect.poll(async () => (await soil.boundingBox())?.x).toBeLessThan((before?.x ?? 0) - 100);
  await page.getByRole('link', { name: 'To the home page' }).click();
  await expect(page).toHaveURL(/\/dashboard-default/);
});

test('the Arabic page runs from right to left within a left-to-right console', async ({ page }) => {
  await signIn(page);
  await page.goto('/rtl-page');
  const arabic = page.locator('[lang="ar"]');
  await expect(arabic).toHaveCSS('direction', 'rtl');
  await expect(page.locator('html')).toHaveCSS('direction', 'ltr');
  const [device, reading] = await Promise.all(
    ['الجهاز', 'القراءة'].map((name) => arabic.getByRole('columnheader', { name }).boundingBox()),
  );
  expect(device?.x ?? 0).toBeGreaterThan(reading?.x ?? 0);
});

test('the sign-up form is public and creates no account', async ({ page }) => {
  await page.goto('/signup');
  await page.getByLabel('Name').fill('Elif');
  await page.getByLabel('Email address').fill('elif@example.com');
  await page.getByLabel('Password').fill('long-enough-secret');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url());
  });
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page.getByText('nothing was sent and no account was made')).toBeVisible();
  expect(sent).toEqual([]);
});

test('their addresses are unknown when they are switched off', async ({ page }) => {
  await page.route('**/admin-api/system/console/settings', async (route) => {
    const answer = await route.fetch();
    const json = await answer.json();
    expect(json.data.demoPages).toBe(true);
    await route.fulfill({ response: answer, json: { ...json, data: { ...json.data, demoPages: false } } });
  });
  await signIn(page);
  for (const [path] of pages) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible();
  }
});
