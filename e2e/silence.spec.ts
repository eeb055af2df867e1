import { applyDeviceTenant, open, secretOf, sheet, table } from './deviceTenant.ts';
import { addresses } from './server.ts';
import { expect, test } from './test.ts';

// Why a device is silent.

test.beforeAll(applyDeviceTenant);

test('from the list of devices to why one is silent, and to a new secret, takes a click each', async ({ page }) => {
  const post = (secret: string) =>
    fetch(`${addresses.console}/api/v1/${secret}/telemetry`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"airTemperature": 3.4}',
    });
  await open(page, '?q=SE-MAST');
  let clicks = 0;
  const click = async (name: string, role: 'link' | 'button') => {
    clicks++;
    await page.getByRole(role, { name, exact: true }).first().click();
  };
  await expect(table(page)).toBeVisible();
  await click('Mast with a secret', 'link');
  const own = sheet(page, 'Mast with a secret');
  const why = own.getByRole('region', { name: 'Why it is silent' });
  await expect(why).toContainText('It has not reported once since it was added');
  await expect(why).toContainText('Check its power and reception');
  expect(clicks).toBeLessThanOrEqual(2);

  // Its secret is replaced, and it goes on with the old one.
  await own.getByRole('button', { name: 'New secret' }).click();
  const ask = page.getByRole('dialog', { name: 'Make a new secret?' });
  await ask.getByRole('checkbox').check();
  await ask.getByRole('button', { name: 'Make a secret' }).click();
  await expect(ask).toBeHidden();
  expect((await post(secretOf('SE-MAST'))).status).toBe(401);
  await page.goto('/device?device=SE-MAST');
  await expect(why).toContainText('It still uses a secret that is no longer valid');
  await expect(why).toContainText('1 sign-in was refused');
  await expect(why.getByRole('button', { name: 'New secret' })).toBeVisible();
});
