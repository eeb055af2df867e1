import type { Page } from '@playwright/test';
import { publish } from './device.ts';
import { button } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

const owner = { tenantName: 'swappers', userName: 'deniz', password: 'long-enough-secret' };
const oldSecret = 'e2e-swap-0001-91c3b7d2f04e8a65';

test.beforeAll(() =>
  applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: owner.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [{ userName: owner.userName, password: owner.password, nickname: 'Deniz', role: 'operator' }],
          devices: [
            {
              deviceName: 'SWAP-0001',
              serial: 'S-1',
              noteName: 'Mast 1',
              product: 'weather-mast',
              secret: oldSecret,
            },
          ],
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
  await serial.fill('S-9');
  await form.getByRole('textbox', { name: 'Note' }).fill('hit by a tractor');
  await form.getByRole('button', { name: 'Swap' }).click();

  const connect = dialog(page, 'Connect the new “Mast 1”');
  const first = connect.getByRole('region', { name: 'First reading' });
  await expect(first).toContainText('Waiting for the first reading…');
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
});
