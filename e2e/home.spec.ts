import type { Page } from '@playwright/test';
import { publish, secretOf } from './device.ts';
import { expectAccessible, expectLive, signIn } from './pages.ts';
import { startProxy } from './proxy.ts';
import { addresses, applyYaml } from './server.ts';
import { expect, test } from './test.ts';

const send = (deviceName: string, values: Record<string, unknown>) => publish(deviceName, secretOf(deviceName), values);

test('a reading published over MQTT appears without reloading', async ({ page }) => {
  await send('WS-0001', { airTemperature: 3.4, airHumidity: 91 });
  await signIn(page);
  await expectLive(page);
  const row = page.getByRole('treeitem', { name: /Orchard mast/ });
  await row.click();
  await expect(row).toContainText('3.4');
  await expect(
    page
      .getByText('91.0')
      .or(page.getByText('91', { exact: true }))
      .first(),
  ).toBeVisible();

  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await send('WS-0001', { airTemperature: 4.7, airHumidity: 88.5 });
  await expect(row).toContainText('4.7');
  await expect(page.getByText('88.5').first()).toBeVisible();
  expect(loads).toBe(0);
});

test('a device that comes and goes changes the statistics', async ({ page }) => {
  await send('WS-0004', { airTemperature: 6.8 });
  await signIn(page);
  await expectLive(page);
  const row = page.getByRole('treeitem', { name: /Pump mast/ });
  await page.getByRole('treeitem', { name: /Default group/ }).click();
  await expect(row).toBeVisible();
  // Its product counts as offline four seconds after the last contact.
  await expect(row).toContainText(/Offline/, { timeout: 15_000 });
  const before = await onlineCount(page);
  await send('WS-0004', { airTemperature: 7.1 });
  await expect(row).toContainText('7.1');
  await expect.poll(() => onlineCount(page)).toBe(before + 1);
  await expect(row).toContainText(/Offline/, { timeout: 15_000 });
  await expect.poll(() => onlineCount(page)).toBe(before);
});

/** The number alone, without the percentage after it. */
async function onlineCount(page: Page): Promise<number> {
  const strip = page.getByRole('region', { name: 'Overview' });
  const value = strip.locator('dl', { hasText: 'Online devices' }).locator('dd').first();
  return Number(await value.evaluate((dd) => dd.firstChild?.textContent));
}

test('a cut stream resumes without a gap and without reloading', async ({ page }) => {
  const proxy = await startProxy(addresses().http);
  try {
    await signIn(page, proxy.address);
    const row = page.getByRole('treeitem', { name: /Lower mast/ });
    await expect(row).toBeVisible();
    await expectLive(page);
    await send('WS-0002', { airTemperature: 5.1 });
    await expect(row).toContainText('5.1');

    const resumed = page.waitForRequest(
      (request) => request.url().includes('/client/pc/live') && Boolean(request.headers()['last-event-id']),
    );
    proxy.cut();
    await expect(page.getByText(/^(Not live|Connecting)/)).toBeVisible();
    await send('WS-0002', { airTemperature: 6.2 }); // while no stream is open
    proxy.mend();
    await resumed;
    await expectLive(page);
    await expect(row).toContainText('6.2');
  } finally {
    await proxy.close();
  }
});

test('a device that the provider adds appears after a reload, without a restart', async ({ page }) => {
  await applyYaml(
    `tenants: [{name: orchard, devices: [{deviceName: WS-0099, serial: A-0099, noteName: New mast, product: weather-mast, secret: "${secretOf('WS-0099')}", scene: North orchard}]}]`,
  );
  await send('WS-0099', { airTemperature: 9.9 });
  await signIn(page);
  await expect(page.getByRole('treeitem', { name: /New mast/ })).toContainText('9.9');
});

test('the tree works by keyboard, and one selection controls list and panels', async ({ page }) => {
  await signIn(page);
  await page.getByRole('treeitem', { name: /River mast/ }).click();
  await expect(page.getByRole('heading', { name: 'River mast' })).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Orchard mast' })).toBeVisible();
  await expect(page).toHaveURL(/device=WS-0001/);
});

test('the map has a keyboard-accessible marker for each device', async ({ page }) => {
  await signIn(page);
  const marker = page.getByRole('button', { name: /River mast/ });
  await expect(marker).toBeVisible();
  await marker.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'River mast' })).toBeVisible();
});

test('search ignores case and says when nothing matches', async ({ page }) => {
  await signIn(page);
  await page.getByRole('button', { name: 'Search devices' }).click();
  await page.getByPlaceholder('Name or serial').fill('RIVER');
  await expect(page.getByRole('treeitem', { name: /River mast/ })).toBeVisible();
  await expect(page.getByRole('treeitem', { name: /Orchard mast/ })).toHaveCount(0);
  await page.getByPlaceholder('Name or serial').fill('row 99');
  await expect(page.getByText(/No device is called/)).toBeVisible();
});

test('axe finds nothing serious, light and dark', async ({ page }) => {
  await signIn(page);
  await expectLive(page);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'Dark mode' }).click();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Quit' })).toBeHidden();
  await expectAccessible(page);
});
