import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { expectAccessible, expectLive, expectNoHorizontalScroll, toast } from './pages.ts';
import { runRule } from './rule.ts';
import { applyYaml, serverLog } from './server.ts';
import { botApi, botToken } from './telegram.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// A channel of Telegram chats: created, tested, told of an alarm with the proof of it, and what is
// shown of chats that cannot be written to.

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

const createChannel = (noticeName: string, recipients: string[]): Promise<number> =>
  fetchApiData(grower, 'POST', `${path}/create`, { noticeName, others: [{ mode: 'telegram', recipients }] });

test('a channel of chats is created, tested and told of an alarm', async ({ page }) => {
  await openSignedIn(page, grower, '/notification');
  await page.getByRole('button', { name: 'New channel' }).first().click();
  const sheet = form(page);
  await sheet.getByLabel(/^Name/).fill('Elm watch');
  await sheet.getByRole('checkbox', { name: 'Telegram' }).check();
  await textbox(sheet, 'Chat 1').fill('elm watchers');
  await press(sheet, 'Save');
  await expect(sheet.getByText('Not a recipient for Telegram: elm watchers')).toBeVisible();
  await textbox(sheet, 'Chat 1').fill('−1001234567890');
  await press(sheet, 'Add a chat');
  await textbox(sheet, 'Chat 2').fill('@elm_alerts');
  await expect(sheet.getByText('2 of 20')).toBeVisible();
  await expect(sheet.getByText(/^A chat’s id/)).toBeVisible();
  await expectAccessible(page);
  await press(sheet, 'Save');
  await expect(toast(page, 'created successfully')).toBeVisible();
  await expect(row(page, 'Elm watch')).toContainText('2 chats');

  await press(page, 'Test: Elm watch');
  const outcome = page.getByRole('region', { name: 'Test of Elm watch' });
  await expect(outcome.getByText('It went out to all 2 recipients')).toBeVisible();
  await expect(outcome.getByText(/^message \d+$/)).toHaveCount(2);
  expect(textsTo(-1001234567890)[0]).toContain('This is a test of the notification channel “Elm watch”');
  expect(textsTo('@elm_alerts')).toHaveLength(1);
  await expectAccessible(page);

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
  await expectAccessible(page);
  await expect.poll(() => textsTo(-1001234567890).at(-1)).toContain('The alarm rule “Frost in the elms” was triggered');
  expect(serverLog()).not.toContain(botToken);
});

test('a chat that is not found, and one that blocked the bot, are named in the reader’s language', async ({ page }) => {
  botApi.refusals.set(4401, { code: 400, description: 'Bad Request: chat not found' });
  botApi.refusals.set(4402, { code: 403, description: 'Forbidden: bot was blocked by the user' });
  await createChannel('Strangers', ['4401', '4402']);
  await page.addInitScript(() => localStorage.setItem('tilth.language', 'tr-tr'));
  await openSignedIn(page, grower, '/notification');
  await page
    .getByRole('button', { name: /Strangers/ })
    .and(page.getByRole('button', { name: /^Dene/ }))
    .click();
  await expect(page.getByText(/^Telegram bu alıcıyı bulamıyor\. /)).toBeVisible();
  await expect(page.getByText(/^Bu alıcı, gönderen hesabı Telegram üzerinde engellemiş/)).toBeVisible();
});

test('on a phone, in the dark, the chats fit', async ({ page }) => {
  await createChannel('By phone', ['-1009876543210', '@a_rather_long_name_of_a_channel']);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.addInitScript(() => {
    localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: true }, version: 0 }));
  });
  await openSignedIn(page, grower, '/notification');
  await expectNoHorizontalScroll(page);
  await page.getByRole('link', { name: /^By phone/ }).click();
  await expect(textbox(form(page), 'Chat 2')).toHaveValue('@a_rather_long_name_of_a_channel');
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
});
