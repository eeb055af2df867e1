import type { Page } from '@playwright/test';
import { button, expectLive, toast } from './pages.ts';
import { runRule } from './rule.ts';
import { addresses, applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// Bell and message page. Each test has its own tenant, so that only it creates messages.

interface MessageTenant {
  person: TestUser;
  /** Sends a reading of the tenant's one device over HTTP; resolves once it is on disk. */
  measure: (airTemperature: number) => Promise<void>;
  unread: () => Promise<unknown>;
}

/** Creates a tenant with one device and a serious rule on it that alarms below 2 °C. */
async function createMessageTenant(tenantName: string): Promise<MessageTenant> {
  const deviceName = `BL-${tenantName.toUpperCase()}`;
  const secret = `e2e-${deviceName.toLowerCase()}-71c0e4a9d2f85b36`;
  const person = { tenantName, userName: 'selin', password: 'the-bell-rings' };
  await applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [{ userName: person.userName, password: person.password, nickname: 'Selin' }],
          devices: [{ deviceName, serial: deviceName, noteName: 'Bell mast', product: 'weather-mast', secret }],
        },
      ],
    }),
  );
  await runRule(person, deviceName, 'Frost in the hollow');
  const measure = async (airTemperature: number) => {
    const answer = await fetch(`${addresses().console}/api/v1/${secret}/telemetry`, {
      method: 'POST',
      body: JSON.stringify({ airTemperature }),
    });
    expect(answer.status).toBe(200);
  };
  const unread = () => fetchApiData(person, 'GET', '/admin-api/client/pc/notify-message/get-unread-count');
  return { person, measure, unread };
}

const bell = (page: Page) => page.getByRole('banner').getByRole('button', { name: /unread message/i });
const panel = (page: Page) => page.getByRole('dialog', { name: 'Recent messages' });
const list = (page: Page) => page.getByRole('main').getByRole('list', { name: 'All messages' });
test('the bell counts live in all tabs, and leads to a message and its alarm; what is read in one tab is read in the other', async ({
  page,
  context,
}) => {
  const { person, measure } = await createMessageTenant('bell-live');
  await openSignedIn(page, person, '/profile');
  await expect(bell(page)).toHaveAccessibleName('No unread messages');
  await expectLive(page);
  const second = await context.newPage();
  await second.goto('/message');
  await expectLive(second);

  await measure(1.4);
  for (const tab of [page, second]) await expect(bell(tab)).toHaveAccessibleName('1 unread message');
  await expect(page.getByText('New serious alarm: Frost in the hollow')).toBeAttached();
  await bell(page).click();
  await expect(panel(page).getByRole('link', { name: 'Frost in the hollow' })).toBeVisible();
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
  await expect(page).toHaveURL(/\/message\?id=\d+$/);
  await page.getByRole('link', { name: 'Open the alarm', exact: true }).click();
  await expect(page).toHaveURL(/\/inform\?id=\d+$/);
  await expect(page.getByRole('heading', { level: 2, name: 'Frost in the hollow' })).toBeVisible();
  for (const tab of [page, second]) await expect(bell(tab)).toHaveAccessibleName('1 unread message');

  await button(second, 'Mark as read: Frost in the hollow has cleared').click();
  await expect(toast(second, 'marked read')).toBeVisible();
  for (const tab of [page, second]) await expect(bell(tab)).toHaveAccessibleName('No unread messages');
  await expect(second.getByText('Unread', { exact: true })).toHaveCount(0);

  // A later message is unread in both.
  await measure(1);
  for (const tab of [page, second]) await expect(bell(tab)).toHaveAccessibleName('1 unread message');
  await page.reload();
  await expect(bell(page)).toHaveAccessibleName('1 unread message');
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('the bell is a sheet, an unsteady alarm’s messages stand singly, and each leads to its alarm', async ({
    page,
  }) => {
    const { person, measure, unread } = await createMessageTenant('bell-phone');
    for (const degrees of [1, 6, 1, 6, 1, 6]) await measure(degrees);
    await expect.poll(unread).toBe(6);
    await openSignedIn(page, person, '/profile');
    await bell(page).tap();
    await expect(panel(page).getByRole('listitem')).toHaveCount(5);
    expect((await panel(page).boundingBox())?.width).toBe(390);
    await panel(page).getByRole('link', { name: 'All messages' }).tap();
    await expect(panel(page)).toBeHidden();

    await expect(list(page).getByText(/^6 messages, /)).toBeVisible();
    const mark = button(page, 'Mark these as read: Frost in the hollow');
    expect((await mark.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect((await mark.boundingBox())?.width).toBeGreaterThanOrEqual(44);
    await expect(list(page).getByRole('button', { name: /^The whole message: / })).toHaveCount(6);
    await list(page)
      .getByRole('button', { name: /^Mark as read: / })
      .first()
      .tap();
    await expect(bell(page)).toHaveAccessibleName('5 unread messages');
    await list(page)
      .getByRole('button', { name: /^The whole message: / })
      .first()
      .tap();
    await expect(
      list(page)
        .getByText(/Bell mast/)
        .first(),
    ).toBeVisible();

    // One tap on a message opens its alarm; the bell leads to the message first.
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
    await expect(page).toHaveURL(/\/message\?id=\d+$/);
    await list(page).getByRole('link', { name: 'Open the alarm', exact: true }).tap();
    await expect(page).toHaveURL(/\/inform\?id=\d+$/);
    await expect(alarm).toBeVisible();
  });
});
