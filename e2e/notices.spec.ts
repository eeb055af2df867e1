import { button, card, detail, heading, list, noticeTenant, path } from './noticeTenant.ts';
import { expectAccessible, expectLive, expectNoHorizontalScroll } from './pages.ts';
import { expect, test } from './test.ts';
import { callApi } from './testUsers.ts';

// The notices page, in a tenant of its own. Each test has its own device and rules, named after its
// subject.

const person = { tenantName: 'hollow', userName: 'deniz', password: 'frost-in-the-hollow' };
const devices = {
  'HO-LIVE': 'Mast that crosses',
  'HO-HAND': 'Mast solved by hand',
  'HO-FIND': 'Mast to be found',
  'HO-OTHER': 'Another mast',
  'HO-PHONE': 'Mast on a phone',
};

const { apply, run, measure, noticeOf, open } = noticeTenant({
  person,
  scene: 'Hollow',
  secret: '5d90c3a7e1b28f46',
  devices,
});

test.beforeAll(apply);

test('a notice appears live, opens, and ends by itself', async ({ page }) => {
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
  await expectAccessible(page);

  // The same page, without any interaction.
  await measure('HO-LIVE', 4.2);
  await expect(card(page, 'Frost that crosses')).toContainText('Automatic resolution');
  await expect(detail(page).getByText('A reading was back within the limits.')).toBeVisible();
  await expect(detail(page).getByText('Still open')).toBeHidden();
  await expect(button(page, 'Mark as solved')).toBeHidden();
});

test('is solved manually, with a remark, once', async ({ page }) => {
  await run('Frost by hand', 'HO-HAND');
  await measure('HO-HAND', -3);
  const id = await noticeOf('Frost by hand');
  await open(page, `?id=${id}`);
  await expect(heading(page, 'Frost by hand')).toBeVisible();
  await button(page, 'Mark as solved').click();
  const dialog = page.getByRole('dialog', { name: 'Mark as solved' });
  await dialog.getByRole('textbox', { name: 'Remark (optional)' }).fill('The heaters burn');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Mark as solved' }).click();
  await expect(dialog).toBeHidden();
  await expect(detail(page).getByText('Marked as solved by Deniz.')).toBeVisible();
  await expect(detail(page).getByText('The heaters burn')).toBeVisible();
  await expect(card(page, 'Frost by hand')).toContainText('Manual solution');
  await expect(button(page, 'Mark as solved')).toBeHidden();
  // Without this, the focus would be lost with the button.
  await expect(heading(page, 'Frost by hand')).toBeFocused();

  const again = await callApi(person, 'PUT', `${path}/alarm-notice/resolve`, { id });
  expect(again.code).toBe(601);
});

test('a refusal says why when another user was quicker', async ({ page }) => {
  await run('Frost twice solved', 'HO-OTHER');
  await measure('HO-OTHER', -1);
  const id = await noticeOf('Frost twice solved');
  await open(page, `?id=${id}`);
  // The stream would report at once that it has ended: this page has no stream.
  await page.route('**/client/pc/live', (route) => route.abort());
  await page.reload();
  await button(page, 'Mark as solved').click();
  expect((await callApi(person, 'PUT', `${path}/alarm-notice/resolve`, { id, remark: 'Quicker' })).code).toBe(200);
  const dialog = page.getByRole('dialog', { name: 'Mark as solved' });
  await dialog.getByRole('button', { name: 'Mark as solved' }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(detail(page).getByText('Quicker')).toBeVisible();
});

test('is found by title, status, level, device and number', async ({ page }) => {
  await run('İlkbahar donu', 'HO-FIND', { alarmLevel: 0 });
  await run('Deep frost', 'HO-FIND', {
    alarmLevel: 1,
    conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: -5 }],
  });
  await measure('HO-FIND', -7);
  await noticeOf('Deep frost');
  await measure('HO-FIND', -2);
  const spring = await noticeOf('ilkbahar');

  await open(page, '?devices=HO-FIND');
  await expect(list(page).getByRole('link')).toHaveCount(2);
  await page.getByRole('textbox', { name: 'Search titles' }).fill('ILKBAHAR');
  await button(page, 'Query').click();
  await expect(list(page).getByRole('link')).toHaveCount(1);
  await expect(heading(page, 'İlkbahar donu')).toBeVisible();
  await expect(page).toHaveURL(/q=ILKBAHAR/);
  await button(page, 'Clear the search').click();
  await expect(list(page).getByRole('link')).toHaveCount(2);

  await button(page, 'Filters').click();
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Automatic resolution');
  await expect(list(page).getByRole('link')).toHaveText([/^Deep frost/]);
  await page.getByRole('combobox', { name: 'Level' }).selectOption('General');
  await expect(
    page.getByRole('region', { name: 'Alarm notices' }).getByRole('heading', { name: 'no data' }),
  ).toBeVisible();
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Pending');
  await expect(list(page).getByRole('link')).toHaveText([/^İlkbahar donu/]);

  // An e-mail's link opens the notice, also when the list does not contain it.
  await page.goto(`/inform?q=deep&id=${spring}`);
  await expect(heading(page, 'İlkbahar donu')).toBeVisible();
  await expect(list(page).getByRole('link')).toHaveText([/^Deep frost/]);
  await page.goto('/inform?id=999999');
  await expect(detail(page).getByText('There is no such notice')).toBeVisible();

  await page.goto('/inform?q=frost');
  await page.getByRole('treeitem', { name: /Mast to be found/ }).click();
  await expect(list(page).getByRole('link')).toHaveText([/^Deep frost/]);
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('the list is one step, and the notice another with a back button', async ({ page }) => {
    await run('Frost on a phone', 'HO-PHONE');
    await measure('HO-PHONE', 0.5);
    await noticeOf('Frost on a phone');
    await open(page, '?q=phone');
    await expect(card(page, 'Frost on a phone')).toBeVisible();
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await card(page, 'Frost on a phone').tap();
    await expect(heading(page, 'Frost on a phone')).toBeVisible();
    await expect(list(page)).toBeHidden();
    await expect(detail(page).locator('canvas')).toBeVisible();
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await button(page, 'Back to the list').tap();
    await expect(card(page, 'Frost on a phone')).toBeVisible();
    await page.getByRole('button', { name: 'Filter by devices' }).tap();
    await page.getByRole('treeitem', { name: /Mast on a phone/ }).tap();
    await expectAccessible(page);
    await button(page, '1 device chosen').tap();
    await expect(page).toHaveURL(/devices=HO-PHONE/);
  });
});
