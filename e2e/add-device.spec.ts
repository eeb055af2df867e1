import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { button } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

const owner = { tenantName: 'adders', userName: 'deniz', password: 'long-enough-secret' };
const claimCode = '7K3Q-9DMX-2B4F-7';
const boxSecret = 'e2e-add-0001-91c3b7d2f04e8a65';

test.beforeAll(() =>
  applyYaml(
    JSON.stringify({
      shelf: [{ deviceName: 'ADD-0001', serial: 'S-ADD-1', product: 'weather-mast', claimCode, secret: boxSecret }],
      tenants: [
        {
          name: owner.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          selfService: { devices: 50, products: ['weather-mast'], claims: true },
          users: [{ userName: owner.userName, password: owner.password, nickname: 'Deniz' }],
          scenes: ['Lower field'],
        },
      ],
    }),
  ),
);

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const firstReading = (place: Locator) => place.getByRole('region', { name: 'First reading' });

/** Counts every press of a button or field of the page, as a person would. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counter = window as unknown as { clicks: number };
    counter.clicks = 0;
    document.addEventListener('pointerdown', () => (counter.clicks += 1), true);
  });
  return () => page.evaluate(() => (window as unknown as { clicks: number }).clicks);
}

test('a new device is added and seen with at most nine clicks, what it does wrong is said, and it is deleted', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openSignedIn(page, owner, '/device');
  const clicks = await countClicks(page);
  await button(page, 'Add').click();
  const form = dialog(page, 'Add a device');
  await expect(form.getByRole('textbox', { name: 'Remark name' })).toBeFocused();
  await page.keyboard.type('North mast');
  await form.getByRole('combobox', { name: 'Scene' }).selectOption('Lower field');
  await form.getByRole('button', { name: 'Add device' }).click();
  const connect = dialog(page, 'Connect “North mast”');
  await expect(connect.getByText(/^mosquitto_pub/)).toBeVisible();
  await connect.getByRole('button', { name: 'Copy the user name' }).click();
  const deviceName = await page.evaluate(() => navigator.clipboard.readText());
  await connect.getByRole('button', { name: 'Copy the secret' }).click();
  const secret = await page.evaluate(() => navigator.clipboard.readText());

  const first = firstReading(connect);
  await expect(publish(deviceName, 'not-the-secret-of-this-device', { airTemperature: 21.4 })).rejects.toThrow();
  await expect(first).toContainText(`A device at 127.0.0.x signed in as ${deviceName} with another secret.`);
  await expect(publish(deviceName, secret, { temp: 21.4 })).rejects.toThrow('Payload format invalid');
  await expect(first).toContainText('“temp” is not a parameter of weather-mast. Did you mean airTemperature?');
  await publish(deviceName, secret, { airTemperature: 21.4, airHumidity: 80 });
  await expect(first).toContainText('The first reading is here');
  await expect(first).toContainText(/Air temperature\s*21\.4\s°C/);
  await expect(first).not.toContainText('with another secret');
  await connect.getByRole('checkbox', { name: 'I have stored the secret' }).check();
  await connect.getByRole('button', { name: 'Open the device', exact: true }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'North mast' })).toBeVisible();
  await expect(page.getByRole('row', { name: /North mast/ })).toContainText('21.4');
  expect(await clicks()).toBeLessThanOrEqual(9);

  await button(page, 'Delete device').click();
  const question = dialog(page, 'Delete “North mast”?');
  await question.getByRole('button', { name: 'Delete device' }).click();
  await expect(page.getByText('“North mast” was deleted')).toBeVisible();
  await expect(page.getByRole('row', { name: /North mast/ })).toHaveCount(0);
  await expect(publish(deviceName, secret, { airTemperature: 3 })).rejects.toThrow();
});

test('devices come by the address of a label, on a phone, and from a table', async ({ page }) => {
  await openSignedIn(page, owner, '/device?add=table');
  const form = dialog(page, 'Add a device');
  const lines = [
    'noteName;product;scene',
    'Row 1;weather-mast;Lower field',
    'Row 2;weather-mast;Nowhere',
    'Row 3;weather-mast;',
  ];
  const choose = (text: string) =>
    form
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await choose(lines.join('\r\n'));
  await expect(form.getByRole('row', { name: /^3 scene/ })).toContainText('there is no such scene');
  await choose(lines.join('\r\n').replace('Nowhere', 'Lower field'));
  await form.getByRole('button', { name: 'Add 3 devices' }).click();
  const done = dialog(page, '3 devices are added');
  await expect(done.getByRole('row', { name: /^Row 2 d-\w{8} \S+$/ })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    done.getByRole('button', { name: 'Download as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^devices-.*\.csv$/);
  await done.getByRole('checkbox', { name: 'I have stored the secrets' }).check();
  await done.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('row', { name: /Row 3/ })).toBeVisible();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/claim#7k3q9dmx2b4f7');
  await expect(form).toContainText(claimCode);
  await expect(page).toHaveURL(/\/device\?add=code$/);
  await form.getByRole('textbox', { name: 'Remark name' }).fill('From the box');
  await form.getByRole('button', { name: 'Add device' }).click();
  const connect = dialog(page, 'Connect “From the box”');
  await expect(connect).toContainText('The device knows its secret already: switch it on.');
  await publish('ADD-0001', boxSecret, { airTemperature: 18.2 });
  await expect(firstReading(connect)).toContainText('The first reading is here');
});
