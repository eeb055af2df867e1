import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { expectLive, toast } from './pages.ts';
import { createRule } from './rule.ts';
import { applyYaml, serverLog } from './server.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// Notification channels: created, changed beside the list, tested, used by a rule, and protected
// while one uses them. The server writes SMS to its log and has no mail server.

const grower: TestUser = { tenantName: 'pasture', userName: 'sevgi', password: 'under-the-old-oak' };
const secret = 'e2e-pasture-7c20d9f4a1b86e35';

test.beforeAll(() =>
  applyYaml(`
tenants:
  - name: pasture
    hosts: [pasture.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: sevgi, password: ${grower.password}, nickname: Sevgi}]
    scenes: [Meadow]
    devices:
      - {deviceName: PA-01, serial: P-1, noteName: Meadow mast, product: weather-mast, secret: ${secret}, scene: Meadow}
`),
);

const form = (page: Page) => page.getByRole('dialog', { name: /^(New channel|Edit )/ });
const press = (place: Page | Locator, name: string) => place.getByRole('button', { name, exact: true }).click();
const textbox = (place: Locator, name: string) => place.getByRole('textbox', { name, exact: true });
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });

const client = '/admin-api/client/pc';

test('a channel is created, changed and tested, tells of an alarm, and is deleted once no rule uses it', async ({
  page,
}) => {
  const milkers = { noticeName: 'Milkers', noticeMode: ['phoneMessage'], phoneMessage: ['+905550005501'] };
  const other = await fetchApiData(grower, 'POST', `${client}/notice-channel/create`, milkers);
  await openSignedIn(page, grower, '/notification');
  await page.getByRole('button', { name: 'New channel' }).first().click();
  const sheet = form(page);
  const name = textbox(sheet, 'Name');
  await name.fill('Night crew');
  await sheet.getByRole('checkbox', { name: 'Email' }).check();
  await textbox(sheet, 'Address 1').fill('elif@pasture.example');
  await sheet.getByRole('checkbox', { name: 'SMS' }).check();
  await textbox(sheet, 'Number 1').fill('+90 532 114 41 07');
  await sheet.getByLabel('Language').selectOption('Türkçe');
  await press(sheet, 'Save');
  await expect(toast(page, 'created successfully')).toBeVisible();
  await expect(sheet).toBeHidden();
  await expect(row(page, 'Night crew')).toContainText('1 address, 1 number');
  await page.setViewportSize({ width: 1024, height: 768 });
  await expect(page.getByRole('columnheader', { name: 'Recipients' })).toBeVisible();
  await expect(row(page, 'Night crew').getByText('No rule yet')).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Create time' })).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 900 });

  await test.step('the list stays in use beside a channel', async () => {
    await page.getByRole('link', { name: 'Milkers', exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`channel=${other}`));
    await expect(name).toBeFocused();
    await expect(name).toHaveValue('Milkers');
    await page.getByRole('link', { name: 'Night crew', exact: true }).click();
    await expect(name).toHaveValue('Night crew');
    await expect(name).toBeFocused();
    const [list, beside] = await Promise.all([page.getByRole('table').boundingBox(), sheet.boundingBox()]);
    expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThan(beside?.x ?? 0);
    await page.goBack();
    await expect(name).toHaveValue('Milkers');
    await page.goForward();
    await expect(name).toHaveValue('Night crew');
  });

  await expect(textbox(sheet, 'Number 1')).toHaveValue('+905321144107');
  await expect(sheet.getByLabel('Language')).toHaveValue('tr-tr');
  const channel = Number(new URL(page.url()).searchParams.get('channel'));
  await sheet.getByRole('checkbox', { name: 'Email' }).uncheck();
  await press(sheet, 'Save');
  await expect(toast(page, 'updated successfully')).toBeVisible();
  await expect(row(page, 'Night crew')).not.toContainText('address');

  await press(page, 'Test: Night crew');
  const outcome = page.getByRole('region', { name: 'Test of Night crew' });
  await expect(outcome.getByText('Nothing was sent: it was written to this server’s log only')).toBeVisible();
  await expect(outcome.getByText(/^Written to the log only, /)).toHaveCount(1);
  // In the channel's language.
  await expect.poll(serverLog).toMatch(/to=\+905321144107 .*Night crew.* denemesi/);

  const rule = await createRule(grower, 'PA-01', 'Frost on the meadow', { passageway: [channel] });
  await fetchApiData(grower, 'GET', `${client}/alarm-rules/publish?alarmRulesId=${rule}`);
  await page.reload();
  await expect(row(page, 'Night crew')).toContainText('1 rule');
  await press(page, 'Delete: Night crew');
  const refusal = page.getByRole('dialog', { name: '“Night crew” is in use' });
  await expect(refusal.getByText(/Used by 1 rule: Frost on the meadow\./)).toBeVisible();
  await refusal.getByRole('button', { name: 'Close', exact: true }).last().click();

  await page.getByRole('link', { name: /^Alarm inform/ }).click();
  await expectLive(page);
  await publish('PA-01', secret, { airTemperature: 0.5, airHumidity: 80 });
  await expect(page.getByRole('heading', { level: 2, name: 'Frost on the meadow' })).toBeVisible();
  const notice = page.getByRole('region', { name: 'Notice' });
  await expect(notice.getByText('Log only', { exact: true })).toBeVisible();
  await press(notice, 'Details of +905321144107');
  await expect(notice.getByText('Beginning of the alarm · Log only')).toBeVisible();

  await fetchApiData(grower, 'DELETE', `${client}/alarm-rules/delete?id=${rule}`);
  await page.getByRole('link', { name: 'Notification channel' }).click();
  await expect(row(page, 'Night crew')).toContainText('No rule yet');
  await press(page, 'Delete: Night crew');
  await press(page.getByRole('dialog', { name: 'Delete “Night crew”?' }), 'Delete channel');
  await expect(toast(page, 'deleted successfully')).toBeVisible();
  await expect(row(page, 'Night crew')).toBeHidden();
});
