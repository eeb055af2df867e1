import type { Page } from '@playwright/test';
import { noticeTenant, path } from './noticeTenant.ts';
import { button, expectAccessible, expectNoHorizontalScroll, textbox } from './pages.ts';
import { addresses, applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { callApi, fetchApiData, openSignedIn } from './testUsers.ts';

const owner = { tenantName: 'people', userName: 'deniz', password: 'long-enough-secret' };

const farm = noticeTenant({
  person: owner,
  scene: 'Upper field',
  secret: '2b7f04d1c9e863a5',
  devices: { 'PE-0001': 'People mast' },
});

test.beforeAll(() => farm.apply());

const phone = { width: 390, height: 844 };
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${name}`) }) });

async function setDark(page: Page): Promise<void> {
  await page.evaluate(() =>
    localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: true }, version: 0 })),
  );
  await page.reload();
}

async function chooseMore(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `More for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Makes an invitation by API and returns the address of its page. */
async function invitationLink(page: Page, nickname: string): Promise<string> {
  const invitation = { role: 'viewer', nickname, sendMail: false };
  const { link } = await fetchApiData(owner, 'POST', `${path}/people/invite`, invitation);
  return new URL(link, page.url()).href;
}

test('a neighbour is invited, looks, becomes an operator, and is shut out again', async ({ page, browser }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: addresses().console });
  await openSignedIn(page, owner, '/profile?tab=people');
  await expect(row(page, 'Deniz')).toContainText('you');
  await button(page, 'Invite').click();
  const form = page.getByRole('dialog', { name: 'Invite a person' });
  await form.getByRole('radio', { name: 'Pass on the link' }).check();
  await form.getByRole('textbox', { name: 'Nickname' }).fill('Neighbour');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Make link' }).click();
  const passOn = page.getByRole('dialog', { name: 'Pass this link on' });
  const link = (await passOn.locator('code').textContent()) ?? '';
  await expectAccessible(page);
  await passOn.getByRole('button', { name: 'Copy the link' }).click();
  await passOn.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('region', { name: 'Open invitations' })).toContainText('NeighbourViewer');

  const context = await browser.newContext({ viewport: phone, serviceWorkers: 'block' });
  const guest = await context.newPage();
  await guest.goto(link);
  await expect(guest.getByText('Looks at devices, readings and alarms')).toBeVisible();
  await expect(guest).toHaveURL(/\/invitation$/);
  await expectAccessible(guest);
  await expectNoHorizontalScroll(guest);
  await guest.reload();
  await expect(textbox(guest, 'Nickname')).toHaveValue('Neighbour');
  await textbox(guest, 'User name').fill('deniz');
  await guest.getByLabel('Password', { exact: true }).fill('planted-in-the-spring');
  await button(guest, 'Accept and sign in').click();
  await expect(guest.getByText('somebody has this name already. Choose another one')).toBeVisible();
  await textbox(guest, 'User name').fill('neighbour');
  await button(guest, 'Accept and sign in').click();
  await expect(guest).toHaveURL(/\/dashboard-default/);

  // The owner's open page shows the new person, and the invitation is gone.
  await expect(row(page, 'Neighbour')).toContainText('Viewer');
  await expect(page.getByRole('region', { name: 'Open invitations' })).toHaveCount(0);

  const newRule = guest.getByRole('button', { name: 'New rule' }).first();
  await guest.goto('/alarm');
  await expect(guest.getByRole('heading', { level: 1, name: 'Alarm center' })).toBeVisible();
  await expect(newRule).toHaveCount(0);
  await guest.goto('/profile?tab=people');
  await expect(guest.getByRole('tab')).toHaveCount(2);
  await guest.goto('/alarm');
  await expect(guest.getByRole('heading', { level: 1, name: 'Alarm center' })).toBeVisible();

  await page.getByRole('button', { name: 'Change: Neighbour' }).click();
  const change = page.getByRole('dialog', { name: 'Change Neighbour' });
  await change.getByRole('combobox', { name: 'Role' }).selectOption('Operator');
  await expectAccessible(page);
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(row(page, 'Neighbour')).toContainText('Operator');
  await expect(newRule).toBeVisible();

  await chooseMore(page, 'Neighbour', 'Disable');
  const asked = page.getByRole('dialog', { name: 'Disable Neighbour?' });
  await expect(asked.getByText(/signed out everywhere within seconds/)).toBeVisible();
  await asked.getByRole('button', { name: 'Disable' }).click();
  await expect(guest.getByRole('heading', { name: 'Sign in' })).toBeVisible({ timeout: 5000 });
  await expect(row(page, 'Neighbour')).toContainText('Disabled');
  await context.close();

  await chooseMore(page, 'Deniz', 'Disable');
  const self = page.getByRole('dialog', { name: 'Disable yourself?' });
  await self.getByRole('button', { name: 'Disable' }).click();
  await expect(self.getByRole('alert')).toContainText('Somebody has to stay an owner who can sign in');

  await page.goto('/profile/activity?kind=user');
  await expect(page.getByText('Changed the account of Neighbour: role from Viewer to Operator')).toBeVisible();
  await page.goto('/profile/activity?kind=invitation');
  await expect(page.getByText('Invited Neighbour', { exact: true }).first()).toBeVisible();
});

test('axe finds nothing serious in the dark, on a phone and on a desk', async ({ page, context }) => {
  await openSignedIn(page, owner, '/profile?tab=people');
  const link = await invitationLink(page, 'Somebody with quite a long name for a small screen');
  await setDark(page);
  await expect(page.getByRole('region', { name: 'Open invitations' })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(phone);
  await expect(page.getByRole('list', { name: 'People' })).toBeVisible();
  await expectAccessible(page);
  await expectNoHorizontalScroll(page);
  await button(page, 'Invite').click();
  await expect(page.getByRole('dialog', { name: 'Invite a person' })).toBeVisible();
  await expectAccessible(page);

  // In a tab of its own, where the owner is signed in.
  const other = await context.newPage();
  await other.setViewportSize(phone);
  await other.goto(link);
  await expect(other.getByText('Somebody is signed in here')).toBeVisible();
  await expectAccessible(other);
  await expectNoHorizontalScroll(other);
  await other.goto('/invitation#dead');
  await expect(other.getByText(/^This invitation no longer holds/)).toBeVisible();
  await expectAccessible(other);
  await other.getByRole('link', { name: 'To the sign-in page' }).click();
  await expect(other).toHaveURL(/\/dashboard-default/);
});

test('where the provider manages the people, the tab says so and offers nothing', async ({ page }) => {
  const managed = { tenantName: 'managed', userName: 'mira', password: owner.password };
  const users = [{ userName: 'mira', password: owner.password, nickname: 'Mira' }];
  const tenant = { name: 'managed', people: 'provider', timeZone: 'UTC', language: 'en-us', users };
  await applyYaml(JSON.stringify({ tenants: [tenant] }));
  await openSignedIn(page, managed, '/profile?tab=people');
  const panel = page.getByRole('tabpanel', { name: 'People' });
  await expect(panel.getByText(/^The people of this organization are managed by its provider/)).toBeVisible();
  await expect(panel.getByRole('button')).toHaveCount(0);
  await expectAccessible(page);
  expect(await callApi(managed, 'GET', `${path}/people/page?pageNo=1&pageSize=10`)).toMatchObject({ code: 601 });
});
