import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { expectAccessible, expectLive, expectNoHorizontalScroll, toast } from './pages.ts';
import { applyYaml, serverLog } from './server.ts';
import { expect, test } from './test.ts';
import { callApi, fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// Notification channels: created, changed, tested, used by a rule, and protected while one uses
// them. The server writes SMS to its log and has no mail server.

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

const path = '/admin-api/client/pc/notice-channel';

/** Creates a channel by API. */
const createChannel = (noticeName: string, phoneMessage: string[]): Promise<number> =>
  fetchApiData(grower, 'POST', `${path}/create`, { noticeName, noticeMode: ['phoneMessage'], phoneMessage });

test('a channel is created and changed', async ({ page }) => {
  await openSignedIn(page, grower, '/notification');
  await expect(page.getByText(/^No mail server is set up: nobody is told by email/)).toBeVisible();
  await expect(page.getByText(/^SMS are written to this server’s log only/)).toBeVisible();
  await page.getByRole('button', { name: 'New channel' }).first().click();
  const sheet = form(page);
  await sheet.getByLabel(/^Name/).fill('Night crew');
  await sheet.getByRole('checkbox', { name: 'Email' }).check();
  await textbox(sheet, 'Address 1').fill('elif@pasture.example');
  await press(sheet, 'Add an address');
  await textbox(sheet, 'Address 2').fill('mehmet@pasture.example');
  await sheet.getByRole('checkbox', { name: 'SMS' }).check();
  await textbox(sheet, 'Number 1').fill('+90 532 114 41 07');
  await sheet.getByLabel('Language').selectOption('Türkçe');
  await expect(sheet.getByText('2 of 20')).toBeVisible();
  await expectAccessible(page);
  await press(sheet, 'Save');
  await expect(toast(page, 'created successfully')).toBeVisible();
  await expect(sheet).toBeHidden();
  await expect(row(page, 'Night crew')).toContainText('2 addresses, 1 number');
  await expect(row(page, 'Night crew')).toContainText('No rule yet');

  await page.getByRole('link', { name: 'Edit: Night crew' }).click();
  await expect(textbox(sheet, 'Number 1')).toHaveValue('+905321144107');
  await expect(sheet.getByLabel('Language')).toHaveValue('tr-tr');
  await press(sheet, 'Remove elif@pasture.example');
  await press(sheet, 'Save');
  await expect(toast(page, 'updated successfully')).toBeVisible();
  await expect(row(page, 'Night crew')).toContainText('1 address, 1 number');

  await page.getByLabel('Search channels').fill('NIGHT');
  await page.getByLabel('Mode', { exact: true }).selectOption('Email');
  await press(page, 'Query');
  await expect(row(page, 'Night crew')).toBeVisible();
  await expect(page).toHaveURL(/q=NIGHT/);
  await expectAccessible(page);
});

test('at 1024 the list says whom a channel reaches and what uses it; on a wide screen it stands beside a channel', async ({
  page,
}) => {
  const first = await createChannel('Panes, first', ['+905550008801', '+905550008802']);
  await createChannel('Panes, second', ['+905550008803']);
  await page.setViewportSize({ width: 1024, height: 768 });
  await openSignedIn(page, grower, '/notification');
  await page.getByLabel('Search channels').pressSequentially('panes');
  await expect(page).toHaveURL(/q=panes/);
  await expect(page.getByRole('columnheader', { name: 'Recipients' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Used by' })).toBeVisible();
  await expect(row(page, 'Panes, first').getByText('2 numbers')).toBeVisible();
  await expect(row(page, 'Panes, first').getByText('No rule yet')).toBeVisible();
  await expectAccessible(page);

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Panes, first', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`channel=${first}`));
  const name = form(page).getByRole('textbox', { name: 'Name' });
  await expect(name).toBeFocused();
  await expect(name).toHaveValue('Panes, first');
  // The list stays in use beside it.
  await page.getByRole('link', { name: 'Panes, second', exact: true }).click();
  await expect(name).toHaveValue('Panes, second');
  await expect(name).toBeFocused();
  const [list, sheet] = await Promise.all([page.getByRole('table').boundingBox(), form(page).boundingBox()]);
  expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThan(sheet?.x ?? 0);
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
  await page.goBack();
  await expect(name).toHaveValue('Panes, first');
});

test('the form shows the errors', async ({ page }) => {
  await openSignedIn(page, grower, '/notification?channel=new');
  const sheet = form(page);
  await press(sheet, 'Save');
  const expectText = (sentence: string) => expect(sheet.getByText(sentence)).toBeVisible();
  await expectText('Please enter a name');
  await expectText('Select at least one mode');
  await sheet.getByRole('checkbox', { name: 'Email' }).check();
  await sheet.getByRole('checkbox', { name: 'SMS' }).check();
  await expectText('Add at least one email address');
  await expectText('Add at least one phone number');
  await textbox(sheet, 'Address 1').fill('crew@valley');
  await textbox(sheet, 'Number 1').fill('0555');
  await expectText('Not an email address: crew@valley');
  await expectText('Not a phone number: 0555');
  await expectAccessible(page);

  // Up to three numbers can be added; removing the last remaining one clears it.
  await textbox(sheet, 'Number 1').fill('+905550000001');
  await press(sheet, 'Add a number');
  await expect(textbox(sheet, 'Number 2')).toBeFocused();
  await press(sheet, 'Add a number');
  await expect(sheet.getByRole('button', { name: 'Add a number' })).toBeHidden();
  await press(sheet, 'Remove Number 3');
  await press(sheet, 'Remove Number 2');
  await press(sheet, 'Remove +905550000001');
  await expect(textbox(sheet, 'Number 1')).toHaveValue('');
  await page.keyboard.press('Escape');
  await press(page, 'Discard changes');
  await expect(sheet).toBeHidden();
});

test('a test message is sent, and shows the result for each recipient', async ({ page }) => {
  await createChannel('Shepherds', ['+905550004401', '+905550004402']);
  await openSignedIn(page, grower, '/notification');
  await press(page, 'Test: Shepherds');
  const outcome = page.getByRole('region', { name: 'Test of Shepherds' });
  await expect(outcome.getByText('Nothing was sent: it was written to this server’s log only')).toBeVisible();
  await expect(outcome.getByText(/^Written to the log only, /)).toHaveCount(2);
  await expect.poll(serverLog).toMatch(/to=\+905550004401 .*test of the notification channel/);
  await expectAccessible(page);
  await press(outcome, 'Close the test of Shepherds');
  await expect(outcome).toBeHidden();

  // This server cannot send e-mail, and the page says so.
  await fetchApiData(grower, 'POST', `${path}/create`, {
    noticeName: 'By mail',
    noticeMode: ['email'],
    email: { emails: ['a@pasture.example'] },
  });
  await page.reload();
  await press(page, 'Test: By mail');
  await expect(page.getByRole('alert').filter({ hasText: 'The test could not be sent' })).toContainText(
    'No mail server is set up',
  );
});

test('a rule uses it, it cannot be deleted meanwhile, and the notice shows who was notified', async ({ page }) => {
  const id = await createChannel('Milkers', ['+905550005501']);
  await openSignedIn(page, grower, '/alarm?rule=new');
  const rule = page.getByRole('dialog', { name: /rule$/ });
  await rule.getByLabel(/^Alarm name/).fill('Frost on the meadow');
  await rule.getByLabel(/^Device source/).click();
  await page.getByTitle('Meadow mast · PA-01').click();
  await page.keyboard.press('Tab'); // closes the multiple-choice list
  await rule.getByRole('radio', { name: 'Attribute change' }).check();
  await rule.getByRole('radio', { name: 'Serious' }).check();
  await rule.getByRole('radio', { name: 'Supported', exact: true }).check();
  await rule.getByLabel('Attribute of condition 1').selectOption('Air temperature');
  await rule.getByLabel('Comparison of condition 1').selectOption('is below (<)');
  await rule.getByLabel('Value of condition 1', { exact: true }).fill('2');
  await rule.getByLabel('Tell').fill('milk');
  await expect(page.locator('.ant-select-item-option', { hasText: 'Milkers' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(rule.locator('.ant-select-selection-item', { hasText: 'Milkers' })).toBeVisible();
  await page.keyboard.press('Escape');
  await rule.getByLabel('Reminder').selectOption('30');
  await expectAccessible(page);
  await press(rule, 'Save and run');
  const card = page.getByRole('article', { name: 'Frost on the meadow' });
  await expect(card.getByText('Milkers')).toBeVisible();
  await expect(card.getByText(/^Reminder every 30/)).toBeVisible();

  await page.getByRole('link', { name: 'Notification channel' }).click();
  await expect(row(page, 'Milkers')).toContainText('1 rule');
  await press(page, 'Delete: Milkers');
  const refusal = page.getByRole('dialog', { name: '“Milkers” is in use' });
  await expect(refusal.getByText(/Used by 1 rule: Frost on the meadow\./)).toBeVisible();
  await refusal.getByRole('button', { name: 'Close', exact: true }).last().click();
  const { code, msg } = await callApi(grower, 'DELETE', `${path}/delete?id=${id}`);
  expect(code).toBe(601);
  expect(msg).toContain('Frost on the meadow');

  await page.getByRole('link', { name: /^Alarm inform/ }).click();
  await expectLive(page);
  await publish('PA-01', secret, { airTemperature: 0.5, airHumidity: 80 });
  await expect(page.getByRole('heading', { level: 2, name: 'Frost on the meadow' })).toBeVisible();
  const noticeRegion = page.getByRole('region', { name: 'Notice' });
  await expect(noticeRegion.getByText('+905550005501')).toBeVisible();
  await expect(noticeRegion.getByText('Log only', { exact: true })).toBeVisible();
  await press(noticeRegion, 'Details of +905550005501');
  await expect(noticeRegion.getByText('Beginning of the alarm · Log only')).toBeVisible();
  await expectAccessible(page);
});

test('an unused channel is deleted', async ({ page }) => {
  await createChannel('Last season', ['+905550006601']);
  await openSignedIn(page, grower, '/notification');
  await press(page, 'Delete: Last season');
  await press(page.getByRole('dialog', { name: 'Delete “Last season”?' }), 'Delete channel');
  await expect(toast(page, 'deleted successfully')).toBeVisible();
  await expect(row(page, 'Last season')).toBeHidden();
});

test('on a phone channels are cards and the form fills the screen, in Russian and in the dark', async ({ page }) => {
  await createChannel('By phone', ['+905550007701']);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.addInitScript(() => {
    localStorage.setItem('tilth.language', 'ru-ru');
    localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: true }, version: 0 }));
  });
  await openSignedIn(page, grower, '/notification');
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
  await page.getByRole('link', { name: /^By phone/ }).click();
  const sheet = page.getByRole('dialog', { name: 'By phone: изменить' });
  await expect(sheet.getByRole('button', { name: 'Проверить отправку' })).toBeVisible();
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
  for (const target of await sheet.getByRole('button').all()) {
    const box = await target.boundingBox();
    expect(box?.height, (await target.textContent()) ?? undefined).toBeGreaterThanOrEqual(44);
  }
  await page.goBack();
  await expect(sheet).toBeHidden();
});
