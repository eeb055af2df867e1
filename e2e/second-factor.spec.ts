import type { Page } from '@playwright/test';
import { button, expectAccessible, expectNoHorizontalScroll, fillSignIn, textbox } from './pages.ts';
import { applyYaml, siteOf } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, setOwnAddress, type TestUser } from './testUsers.ts';
import { totp } from './totp.ts';

// The second factor: codes of an app, recovery codes, and what an owner may require.

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
            { userName: 'kerem', nickname: 'Kerem', password, role: 'viewer' },
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

async function setDark(page: Page): Promise<void> {
  await page.evaluate(() =>
    localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: true }, version: 0 })),
  );
  await page.reload();
}

/** Stores the recovery codes that the page shows, and returns them. */
async function storeCodes(page: Page): Promise<string[]> {
  const shown = dialog(page, 'Recovery codes');
  const codes = ((await shown.locator('code').textContent()) ?? '').split('\n');
  await expectAccessible(page);
  await shown.getByRole('checkbox', { name: 'I have stored the codes' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown).toBeHidden();
  return codes;
}

/** Turns the second factor on in the profile, and returns its key and recovery codes. */
async function turnOn(page: Page): Promise<{ secret: string; codes: string[] }> {
  await card(page).getByRole('button', { name: 'Turn on' }).click();
  const proof = dialog(page, 'Turn on the second factor');
  await expect(proof.getByRole('textbox', { name: 'Password' })).toBeFocused();
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  const setUp = dialog(page, 'Set up the second factor');
  const code = setUp.getByLabel('Code of the app');
  await expect(code).toBeFocused();
  await expectAccessible(page);
  const secret = (await setUp.locator('code').textContent()) ?? '';
  const shown = totp(secret);
  await page.keyboard.insertText(`${shown.slice(0, 3)} ${shown.slice(3)}`);
  await page.keyboard.press('Enter');
  return { secret, codes: await storeCodes(page) };
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

test('a user turns it on, signs in with a code, then with a recovery code, and an owner resets it', async ({
  page,
  browser,
}) => {
  await openSignedIn(page, user('kerem'), '/profile?tab=password', siteOf(tenantName));
  await expect(card(page)).toContainText('Off');
  const { secret, codes } = await turnOn(page);
  expect(codes).toHaveLength(10);
  await expect(card(page)).toContainText('On');
  await expect(button(page, 'New recovery codes')).toBeFocused();
  await signOut(page);

  await enterPassword(page, 'kerem');
  const code = textbox(page, 'Code of the app');
  await expect(code).toBeFocused();
  await expectAccessible(page);
  await code.fill(totp(secret, -3));
  await page.keyboard.press('Enter');
  await expect(page.getByText('This code is wrong, or was used already. Enter the newest one')).toBeVisible();
  await code.fill(totp(secret, 1));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/dashboard-default/);
  await signOut(page);

  await enterPassword(page, 'kerem');
  await button(page, 'Use a recovery code').click();
  await textbox(page, 'Recovery code').fill(codes[4]?.toLowerCase() ?? '');
  await button(page, 'Sign in').click();
  await expect(page).toHaveURL(/\/dashboard-default/);
  await signOut(page);

  await enterPassword(page, 'kerem');
  await button(page, 'Use a recovery code').click();
  await textbox(page, 'Recovery code').fill(codes[4] ?? '');
  await button(page, 'Sign in').click();
  await expect(page.getByText('This code is wrong, or was used already. Enter the newest one')).toBeVisible();

  const context = await browser.newContext({ serviceWorkers: 'block' });
  const other = await context.newPage();
  await openSignedIn(other, owner, '/profile?tab=people', siteOf(tenantName));
  const row = other.getByRole('row').filter({ has: other.getByRole('rowheader', { name: /^Kerem/ }) });
  await expect(row).toContainText('Second factor');
  await other.getByRole('button', { name: 'More for Kerem' }).click();
  await other.getByRole('menuitem', { name: 'Reset second factor' }).click();
  await dialog(other, 'Reset the second factor of Kerem?').getByRole('button', { name: 'Reset second factor' }).click();
  await expect(row).not.toContainText('Second factor');
  await other.goto(`${siteOf(tenantName)}/profile/activity?kind=user`);
  await expect(other.getByText('Changed the account of Kerem: second factor from Yes to No')).toBeVisible();
  await context.close();

  // The ticket is over with the second factor.
  await textbox(page, 'Recovery code').fill(codes[5] ?? '');
  await button(page, 'Sign in').click();
  await expect(page.getByText('Enter your password again')).toBeVisible();
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await button(page, 'Sign in').click();
  await solveSlider(page);
  await expect(page).toHaveURL(/\/dashboard-default/);
});

test('an owner requires it, and whoever has none sets it up while signing in', async ({ page, browser }) => {
  await openSignedIn(page, owner, '/profile?tab=people', siteOf(tenantName));
  const everybody = page.getByRole('switch', { name: 'Everybody needs a second factor' });
  await expect(everybody).toBeDisabled();
  await page.getByRole('link', { name: 'Turn on your own second factor first' }).click();
  await turnOn(page);
  await page.getByRole('tab', { name: 'People' }).click();
  await everybody.click();
  await expectAccessible(page);
  await dialog(page, 'Require a second factor of everybody?').getByRole('button', { name: 'Require it' }).click();
  await expect(everybody).toBeChecked();

  const context = await browser.newContext({ viewport: phone, serviceWorkers: 'block' });
  await setOwnAddress(context);
  const guest = await context.newPage();
  await enterPassword(guest, 'zehra');
  const code = guest.getByLabel('Code of the app');
  await expect(code).toBeFocused();
  await expect(guest.getByRole('link', { name: 'Open it in an app on this phone' })).toBeVisible();
  await expectAccessible(guest);
  await expectNoHorizontalScroll(guest);
  const secret = (await guest.locator('code').textContent()) ?? '';
  await code.fill(totp(secret));
  await button(guest, 'Turn on').click();
  await storeCodes(guest);
  await expect(guest).toHaveURL(/\/dashboard-default/);
  await guest.goto(`${siteOf(tenantName)}/profile?tab=password`);
  await expect(card(guest)).toContainText('so it cannot be turned off');
  await setDark(guest);
  await expect(button(guest, 'Use another phone')).toBeVisible();
  await expectAccessible(guest);
  await expectNoHorizontalScroll(guest);
  await context.close();

  await everybody.click();
  await dialog(page, 'No longer require a second factor?')
    .getByRole('button', { name: 'Leave it to each person' })
    .click();
  await expect(everybody).not.toBeChecked();
  const people = await fetchApiData(owner, 'GET', '/admin-api/client/pc/people/page?pageNo=1&pageSize=10').catch(
    (error: Error) => error.message,
  );
  // The test's own program signs in by password alone, which is no longer enough for the owner.
  expect(people).toContain('601 Enter the code of your authenticator app');
});
