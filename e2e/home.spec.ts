import type { Page } from '@playwright/test';
import { publish, secretOf } from './device.ts';
import { expectLive, signIn } from './pages.ts';
import { startProxy } from './proxy.ts';
import { addresses, applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

const send = (deviceName: string, values: Record<string, unknown>) => publish(deviceName, secretOf(deviceName), values);

// Nobody else's devices come or go here: the statistics can be counted.
const farmer = { tenantName: 'homestead', userName: 'kerem', password: 'a-yard-and-a-pump' };

const device = (deviceName: string, noteName: string, product: string) => ({
  deviceName,
  noteName,
  product,
  serial: `H-${deviceName}`,
  secret: secretOf(deviceName),
  scene: 'Yard',
});
const tenant = {
  name: farmer.tenantName,
  timeZone: 'Europe/Istanbul',
  language: 'en-us',
  users: [{ userName: farmer.userName, password: farmer.password, nickname: 'Kerem' }],
  scenes: ['Yard'],
  devices: [device('HM-0001', 'Yard mast', 'weather-mast'), device('HM-0002', 'Pump mast', 'brief-mast')],
};
const apply = (change: Partial<typeof tenant>) => applyYaml(JSON.stringify({ tenants: [{ ...tenant, ...change }] }));

test.beforeAll(() => apply({}));

test('readings, and a device that comes and goes, appear without reloading', async ({ page }) => {
  await send('HM-0001', { airTemperature: 3.4, airHumidity: 91 });
  await openSignedIn(page, farmer, '/dashboard-default');
  await expectLive(page);
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  const row = page.getByRole('treeitem', { name: /Yard mast/ });
  await row.click();
  await expect(row).toContainText('3.4');
  const readings = page.getByRole('region', { name: 'Readings' });
  await expect(readings).toContainText('91');
  await send('HM-0001', { airTemperature: 4.7, airHumidity: 88.5 });
  await expect(row).toContainText('4.7');
  await expect(readings).toContainText('88.5');

  const pump = page.getByRole('treeitem', { name: /Pump mast/ });
  await expect.poll(() => onlineCount(page)).toBe(1);
  // Sent again until it is seen: its product counts as offline four seconds after the last contact.
  const seen = async () => {
    await send('HM-0002', { airTemperature: 7.1 });
    return [(await pump.textContent())?.includes('7.1'), await onlineCount(page)];
  };
  await expect.poll(seen).toEqual([true, 2]);
  await expect(pump).toContainText(/Offline/);
  await expect.poll(() => onlineCount(page)).toBe(1);
  expect(loads).toBe(0);

  // A device that the provider adds appears without a restart of the server.
  await apply({ devices: [device('HM-0003', 'New mast', 'weather-mast')] });
  await send('HM-0003', { airTemperature: 9.9 });
  await page.reload();
  await expect(page.getByRole('treeitem', { name: /New mast/ })).toContainText('9.9');
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

test('tree and map work by keyboard, and one selection controls list, panels and address', async ({ page }) => {
  await signIn(page);
  await page.getByRole('treeitem', { name: /River mast/ }).click();
  await expect(page.getByRole('heading', { name: 'River mast' })).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Orchard mast' })).toBeVisible();
  await expect(page).toHaveURL(/device=WS-0001/);

  const marker = page.getByRole('button', { name: /River mast/ });
  await expect(marker).toBeVisible();
  await marker.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'River mast' })).toBeVisible();
  await expect(page.getByRole('treeitem', { name: /River mast/ })).toHaveAttribute('aria-selected', 'true');
});
