import type { Page } from '@playwright/test';
import { publish } from './device.ts';
import { button, expectAccessible, expectNoHorizontalScroll } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

const owner = { tenantName: 'swappers', userName: 'deniz', password: 'long-enough-secret' };
const viewer = { ...owner, userName: 'vera' };
const oldSecret = 'e2e-swap-0001-91c3b7d2f04e8a65';
const phone = { width: 390, height: 844 };

test.beforeAll(() =>
  applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: owner.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [
            { userName: owner.userName, password: owner.password, nickname: 'Deniz', role: 'operator' },
            { userName: viewer.userName, password: viewer.password, nickname: 'Vera', role: 'viewer' },
          ],
          devices: ['SWAP-0001', 'SWAP-0002'].map((deviceName, i) => ({
            deviceName,
            serial: `S-${i + 1}`,
            noteName: `Mast ${i + 1}`,
            product: 'weather-mast',
            ...(i === 0 ? { secret: oldSecret } : {}),
          })),
        },
      ],
    }),
  ),
);

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });

test('a broken logger is swapped, and the first reading of the next one seen', async ({ page }) => {
  await publish('SWAP-0001', oldSecret, { airTemperature: 11.5 });
  await openSignedIn(page, owner, '/device?device=SWAP-0001');
  await button(page, 'Swap the device').click();
  const form = dialog(page, 'Swap “Mast 1” for another device');
  const serial = form.getByRole('textbox', { name: 'Serial' });
  await expect(serial).toBeFocused();
  await expectAccessible(page);
  await serial.fill('S-2');
  await form.getByRole('button', { name: 'Swap' }).click();
  await expect(form).toContainText('nother device has this serial number already');
  await expect(form.getByRole('link', { name: 'Open that device' })).toBeVisible();
  await expectAccessible(page);
  await serial.fill('S-9');
  await form.getByRole('textbox', { name: 'Note' }).fill('hit by a tractor');
  await form.getByRole('button', { name: 'Swap' }).click();

  const connect = dialog(page, 'Connect the new “Mast 1”');
  const first = connect.getByRole('region', { name: 'First reading' });
  await expect(first).toContainText('Waiting for the first reading…');
  await expectAccessible(page);
  const secret =
    (await connect.getByText('Secret', { exact: true }).locator('..').locator('code').first().textContent()) ?? '';
  await expect(publish('SWAP-0001', oldSecret, { airTemperature: 12.5 })).rejects.toThrow();
  await expect(first).toContainText('signed in as SWAP-0001 with another secret');
  await publish('SWAP-0001', secret, { airTemperature: 13.5 });
  await expect(first).toContainText('The first reading is here');
  await expect(first).toContainText(/Air temperature\s*13\.5\s°C/);
  await connect.getByRole('checkbox', { name: 'I have stored the secret' }).check();
  await connect.getByRole('button', { name: 'Done' }).click();
  await expect(connect).toBeHidden();

  const swaps = page.getByRole('region', { name: 'Swaps', exact: true });
  await expect(swaps).toContainText(/Swapped\s*hit by a tractor\s*serial S-9, before S-1 · by Deniz/);
  await expect(page.getByRole('heading', { level: 2, name: 'Mast 1' })).toBeVisible();
  await expectAccessible(page);
});

test('a swap on a phone, in the dark', async ({ page }) => {
  await page.setViewportSize(phone);
  await page.addInitScript(() =>
    localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: true }, version: 0 })),
  );
  await openSignedIn(page, owner, '/device?device=SWAP-0002');
  await button(page, 'Swap the device').click();
  const form = dialog(page, 'Swap “Mast 2” for another device');
  await expect(form.getByRole('textbox', { name: 'Serial' })).toBeVisible();
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await form.getByRole('button', { name: 'Swap' }).click();
  const connect = dialog(page, 'Connect the new “Mast 2”');
  await expect(connect).toContainText('Waiting for the first reading…');
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
});

test('a viewer sees the swaps and cannot swap', async ({ page }) => {
  await openSignedIn(page, viewer, '/device?device=SWAP-0001');
  await expect(page.getByRole('region', { name: 'Swaps', exact: true })).toContainText('hit by a tractor');
  await expect(page.getByRole('region', { name: 'Connection' })).toBeVisible();
  await expect(button(page, 'Swap the device')).toHaveCount(0);
});
