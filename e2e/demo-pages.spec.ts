import { signIn } from './pages.ts';
import { expect, test } from './test.ts';

test('the picture pans with its readings, and Arabic runs from right to left within a left-to-right console', async ({
  page,
}) => {
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

  await page.goto('/rtl-page');
  const arabic = page.locator('[lang="ar"]');
  await expect(arabic).toHaveCSS('direction', 'rtl');
  await expect(page.locator('html')).toHaveCSS('direction', 'ltr');
  const [device, reading] = await Promise.all(
    ['الجهاز', 'القراءة'].map((name) => arabic.getByRole('columnheader', { name }).boundingBox()),
  );
  expect(device?.x ?? 0).toBeGreaterThan(reading?.x ?? 0);
});
