import type { Page } from '@playwright/test';
import { button, card, detail, heading, list, noticeTenant } from './noticeTenant.ts';
import { expectLive } from './pages.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

// The notices page, in a tenant of its own: notices, their acknowledgements, and how they end. Each
// test has its own device and rules, named after its subject.

const person = { tenantName: 'hollow', userName: 'deniz', password: 'frost-in-the-hollow' };
const other = { ...person, userName: 'selin', password: 'another-in-the-hollow' };
const devices = {
  'HO-LIVE': 'Mast that crosses',
  'HO-ACK': 'Mast that somebody is on',
  'HO-PHONE': 'Mast on a phone',
};

const { apply, run, measure, noticeOf, open } = noticeTenant({
  person,
  more: { users: [{ userName: other.userName, password: other.password, nickname: 'Selin' }] },
  scene: 'Hollow',
  secret: '5d90c3a7e1b28f46',
  devices,
});

test.beforeAll(apply);

const ackRegion = (where: Page) => detail(where).getByRole('region', { name: 'Who is on it' });

test('a notice appears live, opens, follows the readings, and ends by itself; another is solved by hand', async ({
  page,
}) => {
  await run('Frost that crosses', 'HO-LIVE');
  await open(page, '?q=crosses');
  const panel = page.getByRole('region', { name: 'Alarm notices' });
  await expect(panel.getByRole('heading', { name: 'no data' })).toBeVisible();
  await expectLive(page);

  await measure('HO-LIVE', 1.4);
  await expect(card(page, 'Frost that crosses')).toContainText('Pending');
  await expect(card(page, 'Frost that crosses')).toContainText('Mast that crosses');
  await expect(heading(page, 'Frost that crosses')).toBeVisible();
  await expect(detail(page).getByText('Still open')).toBeVisible();
  await expect(detail(page).getByText('Light the heaters.')).toBeVisible();
  await expect(detail(page).getByText(/^1\.4\s°C/)).toBeVisible();
  await expect(detail(page).getByText(/^Air temperature below 2\s°C$/)).toBeVisible();
  await expect(detail(page).getByRole('img', { name: /Air temperature from 1\.4\s°C to 1\.4\s°C/ })).toBeVisible();
  await expect(detail(page).locator('canvas')).toBeVisible();
  await expect(detail(page).getByText('Online', { exact: true })).toBeVisible();
  await expect(detail(page).getByText('Nobody was told')).toBeVisible();
  // The server finds since when it holds in the background.
  await expect(detail(page).getByText(/^Air temperature below 2\s°C since /)).toBeVisible();

  // Whoever is about to solve it sees that it has become colder.
  const dialog = page.getByRole('dialog', { name: 'Mark as solved' });
  await button(page, 'Mark as solved').click();
  await expect(dialog.getByText(/^Air temperature is 1\.4\s°C, the limit 2\s°C: the condition still/)).toBeVisible();
  await measure('HO-LIVE', -4.5);
  await expect(dialog.getByText(/^Air temperature is −4\.5\s°C/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  // The same page, without any interaction.
  await measure('HO-LIVE', 4.2);
  await expect(card(page, 'Frost that crosses')).toContainText('Automatic resolution');
  await expect(detail(page).getByText('A reading was back within the limits.')).toBeVisible();
  await expect(detail(page).getByText('Still open')).toBeHidden();
  await expect(button(page, 'Mark as solved')).toBeHidden();

  await measure('HO-LIVE', -3);
  await card(page, 'Frost that crosses').filter({ hasText: 'Pending' }).click();
  await button(page, 'Mark as solved').click();
  await dialog.getByRole('textbox', { name: 'Remark (optional)' }).fill('The heaters burn');
  await dialog.getByRole('button', { name: 'Mark as solved' }).click();
  await expect(dialog).toBeHidden();
  await expect(detail(page).getByText('Marked as solved by Deniz.')).toBeVisible();
  await expect(detail(page).getByText('The heaters burn')).toBeVisible();
  await expect(card(page, 'Frost that crosses').first()).toContainText('Manual solution');
  // Without this, the focus would be lost with the button.
  await expect(heading(page, 'Frost that crosses')).toBeFocused();
});

test('everybody sees at once that a notice is acknowledged, changed, and taken back', async ({
  page,
  browser,
  baseURL,
}) => {
  // The rule does not allow manual solving; anybody may acknowledge.
  await run('Frost somebody is on', 'HO-ACK', { manualRelease: 0 });
  await measure('HO-ACK', -2);
  const id = await noticeOf('Frost somebody is on');
  const context = await browser.newContext({ baseURL });
  const elsewhere = await context.newPage();
  await openSignedIn(elsewhere, other, `/inform?q=somebody&id=${id}`);
  await expectLive(elsewhere);
  await open(page, `?q=somebody&id=${id}`);
  await expectLive(page);
  await expect(button(page, 'Mark as solved')).toBeHidden();

  await button(page, 'I am on it').click();
  const dialog = page.getByRole('dialog', { name: 'I am on it' });
  await expect(dialog.getByRole('textbox', { name: 'Note (optional)' })).toBeFocused();
  // Escape returns the focus to the button.
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(button(page, 'I am on it')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('The heaters burn');
  await page.keyboard.press('Control+Enter');
  await expect(dialog).toBeHidden();
  for (const where of [page, elsewhere]) {
    await expect(ackRegion(where).getByText('Deniz is on it')).toBeVisible();
    await expect(ackRegion(where).getByText('The heaters burn')).toBeVisible();
    await expect(ackRegion(where).getByText(/^No reminders until/)).toBeVisible();
    await expect(card(where, 'Frost somebody is on')).toContainText('Deniz is on it');
    await expect(card(where, 'Frost somebody is on')).toContainText('Pending');
  }

  // The acknowledgement shows beside the device, too, and the alarm leads back here.
  await elsewhere.goto('/dashboard-default?device=HO-ACK');
  const alarm = elsewhere.getByRole('link', { name: /^Frost somebody is on./ }); // of the device's panel
  await expect(alarm).toContainText('Deniz is on it');
  await alarm.click();
  await expect(elsewhere).toHaveURL(new RegExp(`/inform\\?id=${id}$`));

  // Another user takes over, without the first user's note.
  await elsewhere.getByRole('button', { name: 'Change', exact: true }).click();
  const change = elsewhere.getByRole('dialog', { name: 'I am on it' });
  await expect(change.getByRole('textbox')).toHaveValue('');
  await change.getByText(/^12\sh$/).click();
  await change.getByRole('button', { name: 'I am on it' }).click();
  await expect(ackRegion(page).getByText('Selin is on it')).toBeVisible();
  await expect(ackRegion(page).getByText('The heaters burn')).toBeHidden();

  await button(page, 'Take back').click();
  await page.getByRole('dialog', { name: 'Take it back?' }).getByRole('button', { name: 'Take back' }).click();
  for (const where of [page, elsewhere]) {
    await expect(button(where, 'I am on it')).toBeVisible();
    await expect(card(where, 'Frost somebody is on')).not.toContainText('is on it');
  }
  await context.close();

  // The log of activity has it all.
  await page.goto('/profile/activity');
  const done = page.getByRole('main');
  await expect(done).toContainText('Acknowledged the alarm Frost somebody is on: note The heaters burn');
  await expect(done).toContainText('Took back the acknowledgement of the alarm Frost somebody is on');
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('an e-mail’s link opens the notice, which is acknowledged there; the list is one step back', async ({
    page,
  }) => {
    await run('Frost on a phone', 'HO-PHONE');
    await measure('HO-PHONE', 0.5);
    const id = await noticeOf('Frost on a phone');
    await open(page, `?id=${id}`);
    await expect(heading(page, 'Frost on a phone')).toBeVisible();
    await expect(list(page)).toBeHidden();
    await expect(detail(page).locator('canvas')).toBeVisible();
    await button(page, 'I am on it').tap();
    const dialog = page.getByRole('dialog', { name: 'I am on it' });
    await dialog.getByText(/^1\sh$/).tap();
    await dialog.getByRole('textbox').fill('On my way');
    await dialog.getByRole('button', { name: 'I am on it' }).tap();
    await expect(detail(page).getByText('Deniz is on it')).toBeVisible();

    await button(page, 'Back to the list').tap();
    await expect(card(page, 'Frost on a phone')).toBeVisible();
    await card(page, 'Frost on a phone').tap();
    await expect(heading(page, 'Frost on a phone')).toBeVisible();
    await button(page, 'Back to the list').tap();
    await page.getByRole('button', { name: 'Filter by devices' }).tap();
    await page.getByRole('treeitem', { name: /Mast on a phone/ }).tap();
    await button(page, '1 device chosen').tap();
    await expect(page).toHaveURL(/devices=HO-PHONE/);
    await expect(list(page).getByRole('link')).toHaveText([/^Frost on a phone/]);
  });
});
