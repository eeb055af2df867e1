import { publish } from './device.ts';
import { plotOf } from './history.ts';
import { secretOf } from './historyTenant.ts';
import { expectAccessible, expectLive, expectNoHorizontalScroll, toast } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn } from './testUsers.ts';

// A mast whose thermometer shows half a degree too much, and its calibrations.

const grower = { tenantName: 'calibrated', userName: 'mina', password: 'half-a-degree-too-much' };
const timeZone = 'Europe/Istanbul';
const minute = 60_000;
const masts = ['CA-DESK', 'CA-PHONE'] as const;

test.beforeAll(async () => {
  const tenant = {
    name: grower.tenantName,
    timeZone,
    language: 'en-us',
    users: [{ userName: grower.userName, password: grower.password, nickname: 'Mina' }],
    devices: masts.map((deviceName) => ({
      deviceName,
      noteName: `Mast ${deviceName}`,
      product: 'weather-mast',
      secret: secretOf(deviceName),
    })),
  };
  await applyYaml(JSON.stringify({ tenants: [tenant] }));
  for (const deviceName of masts) {
    const ts = Date.now() - 10 * minute;
    await publish(deviceName, secretOf(deviceName), [
      { ts: ts - 5 * minute, values: { airTemperature: 20 } },
      { ts, values: { airTemperature: 21.4, airHumidity: 80 } },
    ]);
  }
});

/** A time as the English field of the form takes it, by the tenant's clock. */
function typed(time: number): string {
  const say = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { timeZone, ...options }).format(time);
  const day = say({ month: '2-digit', day: '2-digit', year: 'numeric' });
  return `${day} ${say({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })}`;
}

test('an offset corrects the latest reading, with a mark; undone, the reading is as it arrived', async ({ page }) => {
  await openSignedIn(page, grower, '/device?device=CA-DESK');
  const sheet = page.getByRole('dialog', { name: 'Mast CA-DESK', exact: true });
  const row = sheet
    .getByRole('region', { name: 'Readings' })
    .getByRole('listitem')
    .filter({ hasText: 'Air temperature' });
  const list = sheet.getByRole('region', { name: 'Calibrations' });
  await expect(row).toContainText(/21\.4\s°C/);
  await expect(row.getByRole('button', { name: /^Corrected/ })).toHaveCount(0);
  await expect(list).toContainText('A calibration corrects what a sensor shows');
  await expectLive(page);

  await row.getByRole('button', { name: 'Calibrate Air temperature' }).click();
  const form = page.getByRole('dialog', { name: 'Calibrate Mast CA-DESK' });
  const preview = form.getByRole('status', { name: 'With the latest reading' });
  await form.getByRole('textbox', { name: /^Offset/ }).fill('-0.5');
  await expect(preview).toContainText(/21\.4\s°C would be 20\.9\s°C from then on/);
  const since = form.getByRole('textbox', { name: /^Since/ });
  await since.fill(typed(Date.now() - 30 * minute));
  await since.press('Enter');
  await expect(preview).toContainText(/21\.4\s°C becomes 20\.9\s°C/);
  await form.getByRole('textbox', { name: 'Note' }).fill('ice water');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Calibrate' }).click();
  await expect(toast(page, 'Calibration saved')).toBeVisible();
  await expect(form).toBeHidden();

  await expect(row).toContainText(/20\.9\s°C/);
  const mark = row.getByRole('button', { name: /^Corrected; the sensor shows 21\.4\s°C$/ });
  await mark.focus();
  await expect(page.getByRole('tooltip')).toContainText(/the sensor shows 21\.4\s°C/);
  await expectAccessible(page);
  await expect(list.getByRole('listitem')).toContainText(['−0.5 °C']);
  await expect(list.getByRole('listitem')).toContainText(['ice water']);

  await list.getByRole('button', { name: /^Undo the calibration of Air temperature/ }).click();
  const question = page.getByRole('dialog', { name: 'Undo the calibration of Air temperature?' });
  await expect(question).toContainText('otherwise as they arrived');
  await question.getByRole('button', { name: 'Undo' }).click();
  await expect(row).toContainText(/21\.4\s°C/);
  await expect(mark).toHaveCount(0);
  await expect(list.getByRole('listitem')).toContainText(['Undone by Mina']);
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('two points fit, their preview shows the gain, and a refusal stands at its field', async ({ page }) => {
    const fromTime = Math.floor(Date.now() / minute) * minute - 30 * minute;
    await fetchApiData(grower, 'POST', '/admin-api/client/pc/device/calibration/create', {
      deviceName: 'CA-PHONE',
      yeuSign: 'airTemperature',
      fromTime,
      kind: 'offset',
      offset: -0.5,
    });
    await openSignedIn(page, grower, '/device?device=CA-PHONE');
    const sheet = page.getByRole('dialog', { name: 'Mast CA-PHONE', exact: true });
    await expect(sheet.getByRole('button', { name: /^Corrected; the sensor shows 21\.4\s°C$/ })).toBeVisible();
    await expectNoHorizontalScroll(page);
    await sheet.getByRole('button', { name: 'Calibrate Air temperature' }).tap();
    const form = page.getByRole('dialog', { name: 'Calibrate Mast CA-PHONE' });
    const field = (name: string) => form.getByRole('textbox', { name: new RegExp(`^${name}`) });
    await form.getByRole('radio', { name: 'Two points' }).check({ force: true });
    for (const [name, text] of [
      ['Shown 1', '0'],
      ['Right 1', '0.2'],
      ['Shown 2', '0'],
      ['Right 2', '40'],
    ] as const) {
      await field(name).fill(text);
    }
    const preview = form.getByRole('status', { name: 'With the latest reading' });
    await expect(field('Shown 2')).toHaveAccessibleDescription(/^The sensor showed the same at both points/);
    await field('Shown 2').fill('40');
    // 0.2 + 21.4 × 0.995 = 21.493.
    await expect(preview).toContainText(/21\.4\s°C would be 21\.5\s°C from then on/);
    await expect(preview).toContainText('Gain 0.995');
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await field('Since').fill(typed(fromTime));
    await field('Since').press('Enter');
    await form.getByRole('button', { name: 'Calibrate' }).tap();
    await expect(field('Since')).toHaveAccessibleDescription(/this attribute has a calibration of that time already/);
  });
});

test('the history shows what the sensor showed beside a corrected reading, or instead of it', async ({ page }) => {
  await openSignedIn(page, grower, '/data?device=CA-PHONE&history=1');
  const dialog = page.getByRole('dialog', { name: /^History of/ });
  await dialog.getByRole('radiogroup', { name: 'Range' }).getByText('24 h', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Show the whole range' }).click();
  const plot = plotOf(dialog);
  await plot.focus();
  await page.keyboard.press('End');
  await expect(plot).toHaveAttribute('aria-valuetext', /Air temperature 20\.9\s°C, the sensor shows 21\.4\s°C/);
  await expect(dialog.getByText(/^sensor 21\.4\s°C$/)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('switch', { name: 'Raw values' }).click();
  await plot.focus();
  await page.keyboard.press('End');
  await expect(plot).toHaveAttribute('aria-valuetext', /Air temperature 21\.4\s°C(?!, the sensor)/);
  await dialog.getByText('Table', { exact: true }).click();
  await expect(dialog.getByRole('cell', { name: /21\.4\s°C/ })).toBeVisible();
  await dialog.getByRole('switch', { name: 'Raw values' }).click();
  await expect(dialog.getByRole('cell', { name: /20\.9\s°C/ })).toBeVisible();
});
