import { publish } from './device.ts';
import { plotOf } from './history.ts';
import { secretOf } from './historyTenant.ts';
import { expectLive, toast } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

// A mast whose thermometer shows half a degree too much, and its calibrations.

const grower = { tenantName: 'calibrated', userName: 'mina', password: 'half-a-degree-too-much' };
const timeZone = 'Europe/Istanbul';
const minute = 60_000;
const mast = 'CA-DESK';

test.beforeAll(async () => {
  const tenant = {
    name: grower.tenantName,
    timeZone,
    language: 'en-us',
    users: [{ userName: grower.userName, password: grower.password, nickname: 'Mina' }],
    devices: [{ deviceName: mast, noteName: 'Warm mast', product: 'weather-mast', secret: secretOf(mast) }],
  };
  await applyYaml(JSON.stringify({ tenants: [tenant] }));
  const ts = Date.now() - 10 * minute;
  await publish(mast, secretOf(mast), [
    { ts: ts - 5 * minute, values: { airTemperature: 20 } },
    { ts, values: { airTemperature: 21.4, airHumidity: 80 } },
  ]);
});

/** A time as the English field of the form takes it, by the tenant's clock. */
function typed(time: number): string {
  const say = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { timeZone, ...options }).format(time);
  const day = say({ month: '2-digit', day: '2-digit', year: 'numeric' });
  return `${day} ${say({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })}`;
}

test('an offset corrects the latest reading and the history, with a mark; undone, readings are as they arrived', async ({
  page,
}) => {
  await openSignedIn(page, grower, '/device?device=CA-DESK');
  const sheet = page.getByRole('dialog', { name: 'Warm mast', exact: true });
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
  const form = page.getByRole('dialog', { name: 'Calibrate Warm mast' });
  const preview = form.getByRole('status', { name: 'With the latest reading' });
  await form.getByRole('textbox', { name: /^Offset/ }).fill('-0.5');
  await expect(preview).toContainText(/21\.4\s°C would be 20\.9\s°C from then on/);
  const since = form.getByRole('textbox', { name: /^Since/ });
  await since.fill(typed(Date.now() - 30 * minute));
  await since.press('Enter');
  await expect(preview).toContainText(/21\.4\s°C becomes 20\.9\s°C/);
  await form.getByRole('textbox', { name: 'Note' }).fill('ice water');
  await form.getByRole('button', { name: 'Calibrate' }).click();
  await expect(toast(page, 'Calibration saved')).toBeVisible();
  await expect(form).toBeHidden();

  await expect(row).toContainText(/20\.9\s°C/);
  const mark = row.getByRole('button', { name: /^Corrected; the sensor shows 21\.4\s°C$/ });
  await mark.focus();
  await expect(page.getByRole('tooltip')).toContainText(/the sensor shows 21\.4\s°C/);
  await expect(list.getByRole('listitem')).toContainText(['−0.5 °C']);
  await expect(list.getByRole('listitem')).toContainText(['ice water']);

  await page.goto('/data?device=CA-DESK&history=1');
  const history = page.getByRole('dialog', { name: /^History of/ });
  await history.getByRole('radiogroup', { name: 'Range' }).getByText('24 h', { exact: true }).click();
  await history.getByRole('button', { name: 'Show the whole range' }).click();
  const plot = plotOf(history);
  await plot.focus();
  await page.keyboard.press('End');
  await expect(plot).toHaveAttribute('aria-valuetext', /Air temperature 20\.9\s°C, the sensor shows 21\.4\s°C/);
  await expect(history.getByText(/^sensor 21\.4\s°C$/)).toBeVisible();
  await history.getByRole('switch', { name: 'Raw values' }).click();
  await plot.focus();
  await page.keyboard.press('End');
  await expect(plot).toHaveAttribute('aria-valuetext', /Air temperature 21\.4\s°C(?!, the sensor)/);
  await history.getByText('Table', { exact: true }).click();
  await expect(history.getByRole('cell', { name: /21\.4\s°C/ })).toBeVisible();
  await history.getByRole('switch', { name: 'Raw values' }).click();
  await expect(history.getByRole('cell', { name: /20\.9\s°C/ })).toBeVisible();

  await page.goto('/device?device=CA-DESK');
  await list.getByRole('button', { name: /^Undo the calibration of Air temperature/ }).click();
  const question = page.getByRole('dialog', { name: 'Undo the calibration of Air temperature?' });
  await expect(question).toContainText('otherwise as they arrived');
  await question.getByRole('button', { name: 'Undo' }).click();
  await expect(row).toContainText(/21\.4\s°C/);
  await expect(mark).toHaveCount(0);
  await expect(list.getByRole('listitem')).toContainText(['Undone by Mina']);
});
