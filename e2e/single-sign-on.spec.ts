import type { Page } from '@playwright/test';
import { Issuer } from './issuer.ts';
import { button } from './pages.ts';
import { addresses, applyYaml, serverLog, siteOf } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, sessionKey, type TestUser } from './testUsers.ts';

const issuer = new Issuer();
const owner: TestUser = { tenantName: 'sso', userName: 'deniz', password: 'long-enough-secret' };

test.use({ host: 'sso.localhost' });

test.beforeAll(async () => {
  await issuer.start(siteOf('sso'), addresses().console);
  await applyYaml(`
tenants:
  - name: sso
    hosts: [sso.localhost]
    timeZone: Europe/Istanbul
    ${issuer.yaml()}
    users:
      - {userName: deniz, password: "long-enough-secret", nickname: Deniz}
      - {userName: cem, password: "long-enough-secret", nickname: Cem, email: cem@farm.example}
`);
  issuer.accounts.set('cem-at-work', { email: 'cem@farm.example', verified: true, groups: ['staff'] });
  issuer.accounts.set('nobody', { email: 'nobody@farm.example', verified: true, groups: ['staff'] });
  issuer.accounts.set('deniz-at-work', { email: 'other@farm.example', verified: true, groups: ['staff'] });
});
test.afterAll(() => issuer.stop());

const way = (page: Page) => page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1/ });

/** Signs in at the issuer's pages, and lets Tilth know the person. */
async function signInThere(page: Page, account: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(account);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const role = (page: Page) => page.getByRole('definition').filter({ hasText: /^(Viewer|Operator|Owner)$/ });

test('a person is refused, signs in at the farm’s own sign-in, is demoted there, and signs out of both', async ({
  page,
}) => {
  await page.goto('/profile');
  await way(page).click();
  await signInThere(page, 'nobody');
  const refusal = page.getByRole('alert').filter({ hasText: 'You are not signed in' });
  await expect(refusal).toContainText('Ask an owner to invite that address');
  await expect(page).toHaveURL(`${siteOf('sso')}/signin`);
  await expect(page.getByLabel('User name')).toBeVisible();
  await page.context().clearCookies();
  await way(page).click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(refusal).toContainText('cancelled');

  await page.goto('/profile');
  await way(page).click();
  await signInThere(page, 'cem-at-work');
  await expect(page).toHaveURL(`${siteOf('sso')}/profile`);
  await expect(page.getByRole('heading', { name: 'Cem' })).toBeVisible();
  await expect(role(page)).toHaveText('Operator');
  await expect(page.getByText(/^You sign in with 127\.0\.0\.1/)).toBeVisible();

  // The group is taken away; the next renewal notices it.
  issuer.accounts.set('cem-at-work', { email: 'cem@farm.example', verified: true, groups: ['guests'] });
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key) ?? '');
    localStorage.setItem(key, JSON.stringify({ ...session, renewAt: 0 }));
  }, sessionKey);
  await page.reload();
  await expect(role(page)).toHaveText('Viewer');

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Quit' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await expect(page).toHaveURL(`${siteOf('sso')}/signin`);
  // The issuer's session is over: it asks again.
  await way(page).click();
  await expect(page.getByPlaceholder('Enter any login')).toBeVisible();
  expect(serverLog()).not.toContain('eyJ');
});

test('an older account is linked in the profile, and a sign-out at the issuer ends the session here', async ({
  page,
  context,
}) => {
  await openSignedIn(page, owner, '/profile', siteOf('sso'));
  await button(
    page,
    `Link with ${new URL(issuer.url).host} Then you can sign in with ${new URL(issuer.url).host}, too.`,
  ).click();
  await signInThere(page, 'deniz-at-work');
  await expect(page).toHaveURL(`${siteOf('sso')}/profile`);
  await expect(page.getByRole('heading', { name: 'Deniz' })).toBeVisible();
  await expect(page.getByText(/^You sign in with 127\.0\.0\.1/)).toBeVisible();

  const other = await context.newPage();
  await other.goto(`${issuer.url}/session/end`);
  await other.getByRole('button', { name: 'Yes, sign me out' }).click();
  await expect(page).toHaveURL(/\/signin/);
  await expect(page.getByText('You have been signed out')).toBeVisible();
});
