import type { Page } from '@playwright/test';
import { Issuer } from './issuer.ts';
import { button, expectAccessible, expectNoHorizontalScroll } from './pages.ts';
import { addresses, applyYaml, serverLog, siteOf } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, sessionKey, type TestUser } from './testUsers.ts';

const issuer = new Issuer();
const owner: TestUser = { tenantName: 'sso', userName: 'deniz', password: 'long-enough-secret' };
const phone = { width: 390, height: 844 };

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
  issuer.accounts.set('unsure', { email: 'cem@farm.example', verified: false, groups: ['staff'] });
  issuer.accounts.set('outsider', { email: 'cem@farm.example', verified: true, groups: [] });
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

test('a person signs in at the farm’s own sign-in, is demoted there, and signs out of both', async ({ page }) => {
  await page.goto('/profile');
  await expect(way(page)).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(phone);
  await expectNoHorizontalScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await way(page).click();
  await signInThere(page, 'cem-at-work');
  await expect(page).toHaveURL(`${siteOf('sso')}/profile`);
  await expect(page.getByRole('heading', { name: 'Cem' })).toBeVisible();
  await expect(role(page)).toHaveText('Operator');
  await expect(page.getByText(/^You sign in with 127\.0\.0\.1/)).toBeVisible();
  await expectAccessible(page);

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
});

test('a sign-out at the issuer ends the session here', async ({ page, context }) => {
  issuer.accounts.set('cem-at-work', { email: 'cem@farm.example', verified: true, groups: ['staff'] });
  await page.goto('/data');
  await way(page).click();
  await signInThere(page, 'cem-at-work');
  await expect(page).toHaveURL(`${siteOf('sso')}/data`);
  const other = await context.newPage();
  await other.goto(`${issuer.url}/session/end`);
  await other.getByRole('button', { name: 'Yes, sign me out' }).click();
  await expect(page).toHaveURL(/\/signin/);
  await expect(page.getByText('You have been signed out')).toBeVisible();
});

test('each reason has a sentence, and the form stays', async ({ page }) => {
  for (const [account, sentence] of [
    ['nobody', /Ask an owner to invite that address/],
    ['unsure', /Have it confirmed there/],
    ['outsider', /You have no role here yet/],
  ] as const) {
    await page.context().clearCookies();
    await page.goto('/signin');
    await way(page).click();
    await signInThere(page, account);
    await expect(page.getByRole('alert').filter({ hasText: 'You are not signed in' })).toContainText(sentence);
    await expect(page).toHaveURL(`${siteOf('sso')}/signin`);
    await expect(page.getByLabel('User name')).toBeVisible();
  }
  await expectAccessible(page);
  await page.setViewportSize(phone);
  await expectNoHorizontalScroll(page);
  await page.context().clearCookies();
  await way(page).click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'You are not signed in' })).toContainText('cancelled');
  expect(serverLog()).not.toContain('eyJ');
});

test('an older account is linked in the profile', async ({ page }) => {
  await openSignedIn(page, owner, '/profile', siteOf('sso'));
  await button(
    page,
    `Link with ${new URL(issuer.url).host} Then you can sign in with ${new URL(issuer.url).host}, too.`,
  ).click();
  await signInThere(page, 'deniz-at-work');
  await expect(page).toHaveURL(`${siteOf('sso')}/profile`);
  await expect(page.getByRole('heading', { name: 'Deniz' })).toBeVisible();
  await expect(page.getByText(/^You sign in with 127\.0\.0\.1/)).toBeVisible();
});
