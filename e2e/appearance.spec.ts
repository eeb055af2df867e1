import { publish, secretOf } from './device.ts';
import { expectAccessible, expectNoHorizontalScroll, signIn } from './pages.ts';
import { expect, test } from './test.ts';

test('the language changes at once and stays, also for readings', async ({ page }) => {
  await publish('GH-0001', secretOf('GH-0001'), { airTemperature: 21.5, heating: true });
  await signIn(page);
  await page.getByRole('treeitem', { name: /Climate, east bay/ }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', /^en/);
  for (const [language, home, temperature, on] of [
    ['Türkçe', 'Ana sayfa', 'Hava sıcaklığı', '21,5'],
    ['Русский', 'Главная', 'Температура воздуха', '21,5'],
    ['简体中文', '首页', '空气温度', '21.5'],
  ] as const) {
    await page.getByRole('banner').getByRole('combobox').selectOption({ label: language });
    await expect(page.getByRole('heading', { name: home })).toBeVisible();
    await expect(page.getByText(temperature, { exact: true }).first()).toBeVisible(); // not the map’s choice
    await expect(page.getByText(on).first()).toBeVisible();
  }
  await page.reload();
  await expect(page.getByRole('heading', { name: '首页' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await expectAccessible(page);
});

test('the language takes two clicks, dark mode two', async ({ page }) => {
  await signIn(page);
  let clicks = 0;
  const click = async (role: 'button' | 'combobox' | 'switch', name: string) => {
    clicks += 1;
    await page.getByRole(role, { name }).click();
  };
  await click('button', 'Settings');
  await click('switch', 'Dark mode');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  expect(clicks).toBeLessThanOrEqual(2);

  await page.reload();
  clicks = 0;
  await click('combobox', 'Language');
  // The browser draws the list of a native select: its entry cannot be clicked as an element.
  clicks += 1;
  await page.getByRole('combobox', { name: 'Language' }).selectOption({ label: 'Türkçe' });
  await expect(page.getByRole('heading', { name: 'Ana sayfa' })).toBeVisible();
  expect(clicks).toBeLessThanOrEqual(2);
});

test('on a phone language and nickname are one tap away, and titles keep their room', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page);
  const languages = page.getByRole('banner').getByRole('combobox', { name: 'Language' });
  const box = await languages.boundingBox();
  expect([box?.width, box?.height]).toEqual([44, 44]);
  await expect(page.getByRole('banner').getByRole('link')).toHaveCount(0);
  await page.getByRole('button', { name: 'More' }).click();
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Elif Kaya' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Close the menu' }).click();
  await languages.selectOption({ label: 'Русский' });
  await expect(page.getByRole('heading', { name: 'Главная' })).toBeVisible();
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
  await page.goto('/notification');
  const title = page.getByRole('heading', { level: 1, name: 'Каналы уведомлений' });
  await expect(title).toBeVisible();
  expect(await title.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
});

test('dark mode changes the page at once and survives a reload', async ({ page }) => {
  await signIn(page);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'Dark mode' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(13, 17, 15)');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('the settings panel has everything, and sidebar colour and type apply', async ({ page }) => {
  await signIn(page);
  await page.getByRole('button', { name: 'Settings' }).click();
  for (const name of ['Primary', 'Dark', 'Info', 'Success', 'Warning', 'Danger']) {
    await expect(page.getByRole('radio', { name }).first()).toBeAttached();
  }
  await expect(page.getByRole('switch', { name: 'Fixed navbar' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Quit' })).toBeVisible();

  const active = page.getByRole('link', { name: 'Home page' });
  await expect(active).toHaveCSS('color', 'rgb(47, 107, 79)');
  // Clicks the label like a user, which waits until the panel has opened: the radio button itself
  // is hidden.
  const choose = (group: string, name: string) =>
    page.getByRole('group', { name: group }).getByText(name, { exact: true }).click();
  await choose('Sidebar colour', 'Info');
  await expect(active).toHaveCSS('color', 'rgb(44, 103, 149)');
  await choose('Sidebar type', 'Dark');
  await expect(active).toHaveCSS('color', 'rgb(134, 185, 222)');
  await page.reload();
  await expect(active).toHaveCSS('color', 'rgb(134, 185, 222)');
});

test('every entry of the menu leads to its page', async ({ page }) => {
  await signIn(page);
  for (const [entry, path, shows] of [
    ['Data center', '/data', 'Show by state'],
    ['Equipment center', '/device', 'New scene'],
    ['Alarm center', '/alarm', 'New rule'],
    ['Alarm inform', '/inform', 'Query'],
    ['Notification channel', '/notification', 'New channel'],
    ['Profile', '/profile', 'Essential information'],
    ['Message', '/message', 'All messages'],
  ] as const) {
    await page.getByRole('navigation').getByRole('link', { name: entry }).click();
    await expect(page).toHaveURL(new RegExp(`${path}(\\?|$)`));
    await expect(page.getByText(shows).first()).toBeVisible();
  }
  await page.goto('/no-such-page');
  await expect(page.getByText('There is no such page')).toBeVisible();
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('sign-in and home fit, and the drawer holds the menu', async ({ page }) => {
    await page.goto('/signin');
    await expectNoHorizontalScroll(page);
    await signIn(page);
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'More' }).click();
    await expect(page.getByRole('link', { name: 'Equipment center' })).toBeVisible();
    await expectAccessible(page);
  });
});
