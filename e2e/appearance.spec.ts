import { publish, secretOf } from './device.ts';
import { expectNoHorizontalScroll, signIn } from './pages.ts';
import { expect, test } from './test.ts';

test('language, dark mode and the sidebar’s colours change at once and stay', async ({ page }) => {
  await publish('GH-0001', secretOf('GH-0001'), { airTemperature: 21.5, heating: true });
  await signIn(page);
  await page.getByRole('treeitem', { name: /Climate, east bay/ }).click();
  const html = page.locator('html');
  await expect(html).toHaveAttribute('lang', /^en/);

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'Dark mode' }).click();
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await expect(html).toHaveCSS('background-color', 'rgb(13, 17, 15)');
  await page.reload();
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'Dark mode' }).click();
  await expect(html).toHaveAttribute('data-theme', 'light');

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

  await page.getByRole('treeitem', { name: /Climate, east bay/ }).click();
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
  await expect(html).toHaveAttribute('lang', 'zh-CN');
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('language and menu are one tap away, and titles keep their room', async ({ page }) => {
    await signIn(page);
    const languages = page.getByRole('banner').getByRole('combobox', { name: 'Language' });
    const box = await languages.boundingBox();
    expect([box?.width, box?.height]).toEqual([44, 44]);
    await expect(page.getByRole('banner').getByRole('link')).toHaveCount(0);
    await page.getByRole('button', { name: 'More' }).tap();
    const drawer = page.getByRole('dialog');
    await expect(drawer.getByRole('link', { name: 'Elif Kaya' })).toBeVisible();
    await expect(drawer.getByRole('link', { name: 'Equipment center' })).toBeVisible();
    await page.getByRole('button', { name: 'Close the menu' }).tap();
    await languages.selectOption({ label: 'Русский' });
    await expect(page.getByRole('heading', { name: 'Главная' })).toBeVisible();
    await expectNoHorizontalScroll(page);
    await page.goto('/notification');
    const title = page.getByRole('heading', { level: 1, name: 'Каналы уведомлений' });
    await expect(title).toBeVisible();
    expect(await title.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });
});
