import type { Page } from '@playwright/test';
import { button, card, detail, heading, noticeTenant, path } from './noticeTenant.ts';
import { expectAccessible, expectLive, expectNoHorizontalScroll, fillSignIn } from './pages.ts';
import { siteOf } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { expect, test } from './test.ts';
import { callApi, openSignedIn, setOwnAddress } from './testUsers.ts';

// Acknowledgements of notices, and since when they hold, in a tenant of its own. Each test has its
// own device and rules.

const person = { tenantName: 'terrace', userName: 'deniz', password: 'frost-on-the-terrace' };
const other = { ...person, userName: 'selin', password: 'another-on-the-terrace' };
const devices = {
  'TE-ACK': 'Mast that somebody is on',
  'TE-HOLD': 'Mast in frost still',
  'TE-PHONE': 'Mast on a phone',
  'TE-LINK': 'Mast of a mail',
};

const { apply, run, measure, noticeOf, open } = noticeTenant({
  person,
  more: {
    users: [{ userName: other.userName, password: other.password, nickname: 'Selin' }],
    hosts: ['terrace.localhost'],
  },
  scene: 'Terrace',
  secret: '7b20e6c4d9a1f538',
  devices,
});

test.beforeAll(apply);

test('everybody sees at once that a notice is acknowledged, changed, and taken back', async ({
  page,
  browser,
  baseURL,
}) => {
  // The rule does not allow manual solving; anybody may acknowledge.
  await run('Frost somebody is on', 'TE-ACK', { manualRelease: 0 });
  await measure('TE-ACK', -2);
  const id = await noticeOf('Frost somebody is on');
  const context = await browser.newContext({ baseURL });
  const elsewhere = await context.newPage();
  await openSignedIn(elsewhere, other, `/inform?q=somebody&id=${id}`);
  await expectLive(elsewhere);
  await open(page, `?q=somebody&id=${id}`);
  await expect(button(page, 'Mark as solved')).toBeHidden();

  await button(page, 'I am on it').click();
  const dialog = page.getByRole('dialog', { name: 'I am on it' });
  await expect(dialog.getByRole('textbox', { name: 'Note (optional)' })).toBeFocused();
  await expect(dialog.getByRole('radio', { name: /^4\sh$/ })).toBeChecked();
  // Escape returns the focus to the button.
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(button(page, 'I am on it')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('The heaters burn');
  await expectAccessible(page);
  await page.keyboard.press('Control+Enter');
  await expect(dialog).toBeHidden();
  const ackRegion = (where: Page) => detail(where).getByRole('region', { name: 'Who is on it' });
  for (const where of [page, elsewhere]) {
    await expect(ackRegion(where).getByText('Deniz is on it')).toBeVisible();
    await expect(ackRegion(where).getByText('The heaters burn')).toBeVisible();
    await expect(ackRegion(where).getByText(/^No reminders until/)).toBeVisible();
    await expect(card(where, 'Frost somebody is on')).toContainText('Deniz is on it');
    await expect(card(where, 'Frost somebody is on')).toContainText('Pending');
  }
  await expectAccessible(page);

  // The acknowledgement shows wherever the alarm does: beside its device, in its message.
  await elsewhere.goto('/dashboard-default?device=TE-ACK');
  const alarm = elsewhere.getByRole('link', { name: /^Frost somebody is on./ }); // of the device's panel
  await expect(alarm).toContainText('Deniz is on it');
  await elsewhere.goto('/message');
  const message = elsewhere.locator('[data-message]').filter({ hasText: 'Frost somebody is on' });
  await expect(message).toContainText('Deniz is on it');
  await elsewhere.goto('/dashboard-default?device=TE-ACK');
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
  const question = page.getByRole('dialog', { name: 'Take it back?' });
  await question.getByRole('button', { name: 'Take back' }).click();
  for (const where of [page, elsewhere]) {
    await expect(button(where, 'I am on it')).toBeVisible();
    await expect(card(where, 'Frost somebody is on')).not.toContainText('is on it');
  }
  expect((await callApi(person, 'PUT', `${path}/alarm-notice/unacknowledge`, { id })).code).toBe(601);
  await context.close();

  await page.goto('/profile/activity');
  const done = page.getByRole('main');
  await expect(done).toContainText('Acknowledged the alarm Frost somebody is on: note The heaters burn');
  await expect(done).toContainText('Took back the acknowledgement of the alarm Frost somebody is on');
});

test('solving a notice that still holds shows the current value, and offers to acknowledge instead', async ({
  page,
}) => {
  await run('Frost that goes on', 'TE-HOLD');
  await measure('TE-HOLD', -3);
  const id = await noticeOf('Frost that goes on');
  await open(page, `?id=${id}`);
  await expectLive(page);
  // The server finds since when it holds in the background.
  await expect(detail(page).getByText(/^Air temperature below 2\s°C since /)).toBeVisible();
  await button(page, 'Mark as solved').click();
  const dialog = page.getByRole('dialog', { name: 'Mark as solved' });
  await expect(
    dialog.getByText(/^Air temperature is −3\.0\s°C, the limit 2\s°C: the condition still holds/),
  ).toBeVisible();
  // Meanwhile it has become colder.
  await measure('TE-HOLD', -4.5);
  await expect(dialog.getByText(/^Air temperature is −4\.5\s°C/)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('textbox').fill('Fuel comes at six');
  await dialog.getByRole('button', { name: 'I am on it' }).click();
  const instead = page.getByRole('dialog', { name: 'I am on it' });
  await expect(dialog).toBeHidden();
  await expect(instead.getByRole('textbox')).toHaveValue('Fuel comes at six');
  await expect(instead.getByRole('textbox')).toBeFocused();
  await instead.getByRole('button', { name: 'I am on it' }).click();
  await expect(detail(page).getByText('Deniz is on it')).toBeVisible();
  await expect(detail(page).getByText('Still open')).toBeVisible();

  // The user may solve it all the same.
  await button(page, 'Mark as solved').click();
  await dialog.getByRole('button', { name: 'Mark as solved' }).click();
  await expect(detail(page).getByText('Marked as solved by Deniz.')).toBeVisible();
  await expect(button(page, 'Change')).toBeHidden();
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('an e-mail’s link opens the notice, which can be acknowledged there', async ({ page }) => {
    await run('Frost on its way', 'TE-PHONE');
    await measure('TE-PHONE', 0.5);
    const id = await noticeOf('Frost on its way');
    await open(page, `?id=${id}`);
    await button(page, 'I am on it').tap();
    const dialog = page.getByRole('dialog', { name: 'I am on it' });
    await dialog.getByText(/^1\sh$/).tap();
    await dialog.getByRole('textbox').fill('On my way');
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'I am on it' }).tap();
    await expect(detail(page).getByText('Deniz is on it')).toBeVisible();
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
  });

  test('after signing in, an e-mail’s link leads to its notice', async ({ page, context }) => {
    await run('Frost of a mail', 'TE-LINK');
    await measure('TE-LINK', 0.5);
    const id = await noticeOf('Frost of a mail');
    await setOwnAddress(context);
    await page.goto(`${siteOf(person.tenantName)}/inform?id=${id}`);
    await fillSignIn(page, person.userName, person.password);
    await solveSlider(page);
    await expect(page).toHaveURL(new RegExp(`/inform\\?id=${id}$`));
    await expect(heading(page, 'Frost of a mail')).toBeVisible();
    await expect(button(page, 'I am on it')).toBeVisible();
    await expectNoHorizontalScroll(page);
  });
});
