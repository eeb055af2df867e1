import type { Page } from '@playwright/test';
import { noticeTenant } from './noticeTenant.ts';
import { button, textbox } from './pages.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

const owner = { tenantName: 'people', userName: 'deniz', password: 'long-enough-secret' };

const farm = noticeTenant({
  person: owner,
  scene: 'Upper field',
  secret: '2b7f04d1c9e863a5',
  devices: { 'PE-0001': 'People mast' },
});

test.beforeAll(() => farm.apply());

const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${name}`) }) });

test('a neighbour is invited, looks, becomes an operator, and is shut out again', async ({ page, browser }) => {
  await openSignedIn(page, owner, '/profile?tab=people');
  await expect(row(page, 'Deniz')).toContainText('you');
  await button(page, 'Invite').click();
  const form = page.getByRole('dialog', { name: 'Invite a person' });
  await form.getByRole('radio', { name: 'Pass on the link' }).check();
  await form.getByRole('textbox', { name: 'Nickname' }).fill('Neighbour');
  await form.getByRole('button', { name: 'Make link' }).click();
  const passOn = page.getByRole('dialog', { name: 'Pass this link on' });
  const link = (await passOn.locator('code').textContent()) ?? '';
  await passOn.getByRole('button', { name: 'Copy the link' }).click();
  await passOn.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('region', { name: 'Open invitations' })).toContainText('NeighbourViewer');

  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, serviceWorkers: 'block' });
  const guest = await context.newPage();
  await guest.goto(link);
  await expect(guest.getByText('Looks at devices, readings and alarms')).toBeVisible();
  await expect(guest).toHaveURL(/\/invitation$/);
  await guest.reload();
  await expect(textbox(guest, 'Nickname')).toHaveValue('Neighbour');
  await textbox(guest, 'User name').fill('neighbour');
  await guest.getByLabel('Password', { exact: true }).fill('planted-in-the-spring');
  await button(guest, 'Accept and sign in').click();
  await expect(guest).toHaveURL(/\/dashboard-default/);

  // The owner's open page shows the new person, and the invitation is gone.
  await expect(row(page, 'Neighbour')).toContainText('Viewer');
  await expect(page.getByRole('region', { name: 'Open invitations' })).toHaveCount(0);

  // The guest's open page follows what the owner does.
  const newRule = guest.getByRole('button', { name: 'New rule' }).first();
  await guest.goto('/alarm');
  await expect(guest.getByRole('heading', { level: 1, name: 'Alarm center' })).toBeVisible();
  await expect(newRule).toHaveCount(0);
  await page.getByRole('button', { name: 'Change: Neighbour' }).click();
  const change = page.getByRole('dialog', { name: 'Change Neighbour' });
  await change.getByRole('combobox', { name: 'Role' }).selectOption('Operator');
  await change.getByRole('button', { name: 'Save' }).click();
  await expect(row(page, 'Neighbour')).toContainText('Operator');
  await expect(newRule).toBeVisible();
  await page.getByRole('button', { name: 'More for Neighbour' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  const asked = page.getByRole('dialog', { name: 'Disable Neighbour?' });
  await asked.getByRole('button', { name: 'Disable' }).click();
  await expect(guest.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(row(page, 'Neighbour')).toContainText('Disabled');
  await context.close();
});
