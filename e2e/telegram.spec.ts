import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { expectLive, toast } from './pages.ts';
import { runRule } from './rule.ts';
import { applyYaml, serverLog } from './server.ts';
import { botApi, botToken } from './telegram.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// A channel of Telegram chats: created, tested, and told of an alarm with the proof of it.

const grower: TestUser = { tenantName: 'rookery', userName: 'timur', password: 'where-the-rooks-nest' };
const secret = 'e2e-rookery-91f3a7c05d28be46';
const path = '/admin-api/client/pc/notice-channel';

test.beforeAll(() =>
  applyYaml(`
tenants:
  - name: rookery
    hosts: [rookery.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: timur, password: ${grower.password}, nickname: Timur}]
    scenes: [Elms]
    devices:
      - {deviceName: RO-01, serial: R-1, noteName: Elm mast, product: weather-mast, secret: ${secret}, scene: Elms}
`),
);

const form = (page: Page) => page.getByRole('dialog', { name: /^(New channel|Edit )/ });
const press = (place: Page | Locator, name: string) => place.getByRole('button', { name, exact: true }).click();
const textbox = (place: Locator, name: string) => place.getByRole('textbox', { name, exact: true });
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
const textsTo = (chat: number | string) => botApi.messages.filter((one) => one.chat === chat).map(({ text }) => text);

test('a channel of chats is created, tested and told of an alarm', async ({ page }) => {
  await openSignedIn(page, grower, '/notification');
  await page.getByRole('button', { name: 'New channel' }).first().click();
  const sheet = form(page);
  await sheet.getByLabel(/^Name/).fill('Elm watch');
  await sheet.getByRole('checkbox', { name: 'Telegram' }).check();
  await textbox(sheet, 'Chat 1').fill('−1001234567890');
  await press(sheet, 'Add a chat');
  await textbox(sheet, 'Chat 2').fill('@elm_alerts');
  await press(sheet, 'Save');
  await expect(toast(page, 'created successfully')).toBeVisible();
  await expect(row(page, 'Elm watch')).toContainText('2 chats');

  await press(page, 'Test: Elm watch');
  const outcome = page.getByRole('region', { name: 'Test of Elm watch' });
  await expect(outcome.getByText('It went out to all 2 recipients')).toBeVisible();
  await expect(outcome.getByText(/^message \d+$/)).toHaveCount(2);
  expect(textsTo(-1001234567890)[0]).toContain('This is a test of the notification channel “Elm watch”');
  expect(textsTo('@elm_alerts')).toHaveLength(1);

  const { list } = await fetchApiData(grower, 'GET', `${path}/page`);
  await runRule(grower, 'RO-01', 'Frost in the elms', { passageway: [list[0].id] });
  await page.getByRole('link', { name: /^Alarm inform/ }).click();
  await expectLive(page);
  await publish('RO-01', secret, { airTemperature: 0.5, airHumidity: 80 });
  await expect(page.getByRole('heading', { level: 2, name: 'Frost in the elms' })).toBeVisible();
  const notice = page.getByRole('region', { name: 'Notice' });
  await expect(notice.getByText('-1001234567890')).toBeVisible();
  await expect(notice.getByText('Sent', { exact: true })).toHaveCount(2);
  await press(notice, 'Details of -1001234567890');
  await expect(notice.getByText(/message \d+/).first()).toBeVisible();
  await expect.poll(() => textsTo(-1001234567890).at(-1)).toContain('The alarm rule “Frost in the elms” was triggered');
  expect(serverLog()).not.toContain(botToken);
});
