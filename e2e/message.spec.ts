import type { Page } from '@playwright/test';
import { button, expectAccessible, expectLive, expectNoHorizontalScroll, toast } from './pages.ts';
import { runRule } from './rule.ts';
import { addresses, applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// Bell and message page. Each test has its own tenant, so that only it creates messages.

const path = '/admin-api/client/pc';

interface MessageTenant {
  person: TestUser;
  /** Another user of the same tenant. */
  other: TestUser;
  /** Sends a reading of the tenant's one device over HTTP; resolves once it is on disk. */
  measure: (airTemperature: number) => Promise<void>;
  call: (method: string, url: string, as?: TestUser) => Promise<unknown>;
}

/** Creates a tenant with one device and a serious rule on it that alarms below 2 °C. */
async function createMessageTenant(tenantName: string): Promise<MessageTenant> {
  const deviceName = `BL-${tenantName.toUpperCase()}`;
  const secret = `e2e-${deviceName.toLowerCase()}-71c0e4a9d2f85b36`;
  const person = { tenantName, userName: 'selin', password: 'the-bell-rings' };
  const other = { ...person, userName: 'murat' };
  await applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [
            { userName: person.userName, password: person.password, nickname: 'Selin' },
            { userName: other.userName, password: other.password, nickname: 'Murat' },
          ],
          devices: [{ deviceName, serial: deviceName, noteName: 'Bell mast', product: 'weather-mast', secret }],
        },
      ],
    }),
  );
  const call: MessageTenant['call'] = (method, url, as = person) => fetchApiData(as, method, `${path}${url}`);
  await runRule(person, deviceName, 'Frost in the hollow');
  const measure = async (airTemperature: number) => {
    const answer = await fetch(`${addresses().console}/api/v1/${secret}/telemetry`, {
      method: 'POST',
      body: JSON.stringify({ airTemperature }),
    });
    expect(answer.status).toBe(200);
  };
  return { person, other, measure, call };
}

const bell = (page: Page) => page.getByRole('banner').getByRole('button', { name: /unread message/i });
const panel = (page: Page) => page.getByRole('dialog', { name: 'Recent messages' });
const list = (page: Page) => page.getByRole('main').getByRole('list', { name: 'All messages' });
/** A message's title: it chooses the message, or leads to its alarm; a group's opens the group. */
const title = (page: Page, name: string) =>
  list(page)
    .getByRole('link', { name, exact: true })
    .or(list(page).getByRole('button', { name, exact: true }));

test('the bell counts live, and leads to the alarm', async ({ page }) => {
  const { person, measure } = await createMessageTenant('bell-live');
  await openSignedIn(page, person, '/profile');
  await expect(bell(page)).toHaveAccessibleName('No unread messages');
  await expectLive(page);

  await measure(1.4);
  await expect(bell(page)).toHaveAccessibleName('1 unread message');
  await expect(page.getByText('New serious alarm: Frost in the hollow')).toBeAttached();
  await bell(page).click();
  const item = panel(page).getByRole('link', { name: 'Frost in the hollow' });
  await expect(item).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(panel(page)).toBeHidden();
  await expect(bell(page)).toBeFocused();

  // While it is open, new messages appear at its top.
  await page.keyboard.press('Enter');
  await measure(6);
  await expect(panel(page).getByRole('listitem')).toHaveCount(2);
  await expect(panel(page).getByRole('listitem').first()).toContainText('Frost in the hollow has cleared');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');

  await expect(page).toHaveURL(/\/inform\?id=\d+$/);
  await expect(page.getByRole('heading', { level: 2, name: 'Frost in the hollow' })).toBeVisible();
  await expect(bell(page)).toHaveAccessibleName('1 unread message');
});

test('the chosen message stands beside the list, and one click in the list opens the alarm', async ({ page }) => {
  const { person, measure, call } = await createMessageTenant('bell-panes');
  await measure(1.4);
  await measure(6);
  await expect.poll(() => call('GET', '/notify-message/get-unread-count')).toBe(2);
  await openSignedIn(page, person, '/message');
  const beside = (name: string) => page.getByRole('region', { name, exact: true });
  await expect(beside('Frost in the hollow has cleared')).toBeVisible();
  await title(page, 'Frost in the hollow').click();
  await expect(page).toHaveURL(/\/message\?id=\d+$/);
  await expect(beside('Frost in the hollow').getByText(/1\.4\s°C/)).toBeVisible();
  await expect(beside('Frost in the hollow').getByText(/Bell mast/)).toBeVisible();
  await expect(beside('Frost in the hollow').getByRole('link', { name: 'Open the alarm' })).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await expect(title(page, 'Frost in the hollow')).toBeFocused();
  await page.setViewportSize({ width: 1024, height: 768 });
  await expect(beside('Frost in the hollow')).toBeHidden();
  await expect(list(page).getByText(/Bell mast/)).toBeVisible();
  await expectAccessible(page);

  await page.setViewportSize({ width: 1440, height: 900 });
  await list(page).getByRole('link', { name: 'Open the alarm: Frost in the hollow', exact: true }).click();
  await expect(page).toHaveURL(/\/inform\?id=\d+$/);
  await expect(bell(page)).toHaveAccessibleName('1 unread message');
});

test('reading a message marks it in the other tab too, and only for that user', async ({ page, context }) => {
  const { person, other, measure, call } = await createMessageTenant('bell-tabs');
  await measure(1);
  await measure(6);
  await measure(0.5);
  await expect.poll(() => call('GET', '/notify-message/get-unread-count')).toBe(3);
  await openSignedIn(page, person, '/message');
  const second = await context.newPage();
  await second.goto('/message');
  await expect(bell(second)).toHaveAccessibleName('3 unread messages');

  const cleared = 'Frost in the hollow has cleared';
  await expectAccessible(page);
  // Marks it as read without opening it.
  await button(page, `Mark as read: ${cleared}`).click();
  await expect(toast(page, 'marked read')).toBeVisible();
  await expect(bell(page)).toHaveAccessibleName('2 unread messages');
  await expect(bell(second)).toHaveAccessibleName('2 unread messages');
  await expect(second.getByRole('listitem').filter({ hasText: cleared }).getByText('Unread')).toBeHidden();

  await button(second, 'Mark all as read').click();
  await expect(bell(second)).toHaveAccessibleName('No unread messages');
  await expect(bell(page)).toHaveAccessibleName('No unread messages');
  await expect(page.getByText('Unread', { exact: true })).toHaveCount(0);

  // A later message is unread in both.
  await measure(7);
  await expect(bell(page)).toHaveAccessibleName('1 unread message');
  await expect(bell(second)).toHaveAccessibleName('1 unread message');
  await page.reload();
  await expect(bell(page)).toHaveAccessibleName('1 unread message');
  expect(await call('GET', '/notify-message/get-unread-count', other)).toBe(4);
});

test('an unsteady alarm is one line', async ({ page }) => {
  const { person, measure, call } = await createMessageTenant('bell-night');
  for (const degrees of [1, 6, 1, 6, 1, 6]) await measure(degrees);
  await expect.poll(() => call('GET', '/notify-message/get-unread-count')).toBe(6);
  await openSignedIn(page, person, '/message');
  await expect(list(page).getByRole('button').filter({ hasText: /./ })).toHaveText(['Frost in the hollow']);
  await expect(list(page).getByText(/^6 messages, /)).toBeVisible();
  await list(page).getByRole('button', { name: 'Frost in the hollow', exact: true }).click();
  const inside = list(page).getByRole('list', { name: 'Frost in the hollow' });
  await expect(inside.getByRole('listitem')).toHaveCount(6);
  await expectAccessible(page);
  await button(page, 'Mark these as read: Frost in the hollow').click();
  await expect(bell(page)).toHaveAccessibleName('No unread messages');
});

test('messages are in the reader’s language', async ({ page }) => {
  const { person, measure, call } = await createMessageTenant('bell-words');
  await measure(1.5);
  await expect.poll(() => call('GET', '/notify-message/get-unread-count')).toBe(1);
  await openSignedIn(page, person, '/message');
  await expect(
    list(page)
      .getByText(/Air temperature/)
      .first(),
  ).toBeVisible();
  await page.getByRole('banner').getByRole('combobox', { name: 'Language' }).selectOption('Türkçe');
  const turkish = page.getByRole('main').getByRole('list', { name: 'Tüm mesajlar' });
  await expect(turkish.getByText(/Hava sıcaklığı/).first()).toBeVisible();
  await expect(turkish.getByText(/1,5\s°C/).first()).toBeVisible();
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('the bell is a sheet, and the page fits, in both themes', async ({ page }) => {
    const { person, measure, call } = await createMessageTenant('bell-phone');
    for (const degrees of [1, 6, 1, 6, 1, 6]) await measure(degrees);
    await expect.poll(() => call('GET', '/notify-message/get-unread-count')).toBe(6);
    await openSignedIn(page, person, '/profile');
    await bell(page).click();
    await expect(panel(page).getByRole('listitem')).toHaveCount(5);
    expect((await panel(page).boundingBox())?.width).toBe(390);
    await expectAccessible(page);
    await panel(page).getByRole('link', { name: 'All messages' }).click();
    await expect(panel(page)).toBeHidden();
    await expectNoHorizontalScroll(page);
    const mark = button(page, 'Mark these as read: Frost in the hollow');
    expect((await mark.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect((await mark.boundingBox())?.width).toBeGreaterThanOrEqual(44);
    await list(page).getByRole('button', { name: 'Frost in the hollow', exact: true }).click();
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    // The row's head covers all of a closed row, but not its button.
    await list(page)
      .getByRole('button', { name: /^Mark as read: / })
      .first()
      .tap();
    await expect(bell(page)).toHaveAccessibleName('5 unread messages');

    await list(page)
      .getByRole('button', { name: /^The whole message: / })
      .first()
      .tap();
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);

    await button(page, 'Settings').click();
    await page.getByRole('switch', { name: 'Dark mode' }).click();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expectAccessible(page);

    // One tap on a message, here or in the bell, opens its alarm.
    const alarm = page.getByRole('heading', { level: 2, name: 'Frost in the hollow' });
    await list(page).getByRole('link', { name: 'Frost in the hollow has cleared' }).first().tap();
    await expect(page).toHaveURL(/\/inform\?id=\d+$/);
    await expect(alarm).toBeVisible();
    await page.goto('/profile');
    await bell(page).tap();
    await panel(page)
      .getByRole('link', { name: /Frost in the hollow/ })
      .last()
      .tap();
    await expect(page).toHaveURL(/\/inform\?id=\d+$/);
    await expect(alarm).toBeVisible();
  });
});
