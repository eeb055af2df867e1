import type { Page } from '@playwright/test';
import { button, fillSignIn, textbox } from './pages.ts';
import { applyYaml, siteOf } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { expect, test } from './test.ts';
import { openSignedIn, setOwnAddress, type TestUser } from './testUsers.ts';
import { totp } from './totp.ts';

// The second factor: codes of an app, recovery codes, and what an owner may require. Refusals at the
// fields and what a ticket or a code is worth are proved by SecondStep.test.tsx, SecondFactor.test.tsx
// and internal/domain/identity.

const password = 'long-enough-secret';
const tenantName = 'factors';
const user = (userName: string): TestUser => ({ tenantName, userName, password });
const owner = user('deniz');
const phone = { width: 390, height: 844 };

test.use({ host: 'factors.localhost' });

test.beforeEach(async ({ context }) => {
  await applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: tenantName,
          hosts: ['factors.localhost'],
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [
            { userName: 'deniz', nickname: 'Deniz', password },
            { userName: 'zehra', nickname: 'Zehra', password, role: 'viewer' },
          ],
        },
      ],
    }),
  );
  await setOwnAddress(context);
});

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const card = (page: Page) => page.getByRole('region', { name: 'Second factor' });

/** Stores the recovery codes that the page shows, and returns them. */
async function storeCodes(page: Page): Promise<string[]> {
  const shown = dialog(page, 'Recovery codes');
  const codes = ((await shown.locator('code').textContent()) ?? '').split('\n');
  await shown.getByRole('checkbox', { name: 'I have stored the codes' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown).toBeHidden();
  return codes;
}

/** Turns the second factor on in the profile, with keys alone, and returns its recovery codes. */
async function turnOn(page: Page): Promise<string[]> {
  await card(page).getByRole('button', { name: 'Turn on' }).click();
  const proof = dialog(page, 'Turn on the second factor');
  await expect(proof.getByRole('textbox', { name: 'Password' })).toBeFocused();
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  const setUp = dialog(page, 'Set up the second factor');
  await expect(setUp.getByLabel('Code of the app')).toBeFocused();
  const shown = totp((await setUp.locator('code').textContent()) ?? '');
  await page.keyboard.insertText(`${shown.slice(0, 3)} ${shown.slice(3)}`);
  await page.keyboard.press('Enter');
  return storeCodes(page);
}

async function enterPassword(page: Page, userName: string): Promise<void> {
  await page.goto(`${siteOf(tenantName)}/signin`);
  await fillSignIn(page, userName, password);
  await solveSlider(page);
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await button(page, 'Quit').click();
  await expect(page).toHaveURL(/\/signin/);
}

test('an owner requires it; a person sets it up, signs in with codes, and the owner resets it', async ({
  page,
  browser,
}) => {
  await openSignedIn(page, owner, '/profile?tab=people', siteOf(tenantName));
  const everybody = page.getByRole('switch', { name: 'Everybody needs a second factor' });
  await expect(everybody).toBeDisabled();
  await page.getByRole('link', { name: 'Turn on your own second factor first' }).click();
  await expect(card(page)).toContainText('Off');
  expect(await turnOn(page)).toHaveLength(10);
  await expect(card(page)).toContainText('On');
  await expect(button(page, 'New recovery codes')).toBeFocused();
  await page.getByRole('tab', { name: 'People' }).click();
  await everybody.click();
  await dialog(page, 'Require a second factor of everybody?').getByRole('button', { name: 'Require it' }).click();
  await expect(everybody).toBeChecked();

  const context = await browser.newContext({ viewport: phone, serviceWorkers: 'block' });
  await setOwnAddress(context);
  const guest = await context.newPage();
  await enterPassword(guest, 'zehra');
  const code = guest.getByLabel('Code of the app');
  await expect(code).toBeFocused();
  await expect(guest.getByRole('link', { name: 'Open it in an app on this phone' })).toBeVisible();
  const secret = (await guest.locator('code').textContent()) ?? '';
  await code.fill(totp(secret));
  await button(guest, 'Turn on').click();
  const codes = await storeCodes(guest);
  await expect(guest).toHaveURL(/\/dashboard-default/);
  await guest.goto(`${siteOf(tenantName)}/profile?tab=password`);
  await expect(card(guest)).toContainText('so it cannot be turned off');
  await signOut(guest);

  await enterPassword(guest, 'zehra');
  await expect(code).toBeFocused();
  await code.fill(totp(secret, -3));
  await guest.keyboard.press('Enter');
  const wrong = guest.getByText('This code is wrong, or was used already. Enter the newest one');
  await expect(wrong).toBeVisible();
  await code.fill(totp(secret, 1));
  await guest.keyboard.press('Enter');
  await expect(guest).toHaveURL(/\/dashboard-default/);
  await signOut(guest);

  await enterPassword(guest, 'zehra');
  await button(guest, 'Use a recovery code').click();
  await textbox(guest, 'Recovery code').fill(codes[4]?.toLowerCase() ?? '');
  await button(guest, 'Sign in').click();
  await expect(guest).toHaveURL(/\/dashboard-default/);
  await signOut(guest);
  await enterPassword(guest, 'zehra');

  await everybody.click();
  const leave = dialog(page, 'No longer require a second factor?');
  await leave.getByRole('button', { name: 'Leave it to each person' }).click();
  await expect(everybody).not.toBeChecked();
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /^Zehra/ }) });
  await expect(row).toContainText('Second factor');
  await page.getByRole('button', { name: 'More for Zehra' }).click();
  await page.getByRole('menuitem', { name: 'Reset second factor' }).click();
  const reset = dialog(page, 'Reset the second factor of Zehra?');
  await reset.getByRole('button', { name: 'Reset second factor' }).click();
  await expect(row).not.toContainText('Second factor');
  await page.goto(`${siteOf(tenantName)}/profile/activity?kind=user`);
  await expect(page.getByText('Changed the account of Zehra: second factor from Yes to No')).toBeVisible();

  // The ticket is over with the second factor.
  await button(guest, 'Use a recovery code').click();
  await textbox(guest, 'Recovery code').fill(codes[5] ?? '');
  await button(guest, 'Sign in').click();
  await expect(guest.getByText('Enter your password again')).toBeVisible();
  await expect(guest.getByLabel('Password', { exact: true })).toBeFocused();
  await button(guest, 'Sign in').click();
  await solveSlider(guest);
  await expect(guest).toHaveURL(/\/dashboard-default/);
  await context.close();
});
