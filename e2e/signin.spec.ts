import { expectAccessible, expectHomePage, fillSignIn, signIn, signInManually } from './pages.ts';
import { siteOf } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { expect, test } from './test.ts';
import { setOwnAddress } from './testUsers.ts';

test('a user signs in, is greeted by name and signs out', async ({ page }) => {
  await page.goto(`${siteOf('orchard')}/`);
  await expect(page).toHaveURL(/\/signin/);
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page.getByText('Aydın Valley Growers').first()).toBeVisible();
  await expectAccessible(page);

  await signInManually(page);
  await expectHomePage(page);
  await expect(page.getByText('Elif Kaya')).toBeVisible();

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Quit' }).click();
  await expect(page).toHaveURL(/\/signin/);
  await page.goto('/dashboard-default');
  await expect(page).toHaveURL(/\/signin/);
});

test('a wrong password is reported with its reason', async ({ page, context }) => {
  // Failures count for the account too, and most tests use the orchard's.
  await setOwnAddress(context);
  await page.goto('/signin');
  await fillSignIn(page, 'nobody-of-the-orchard', 'not the password');
  await solveSlider(page);
  await expect(page.getByText('login failed')).toBeVisible();
  await expect(page.getByText('User name or password is wrong')).toBeVisible();
  await expect(page).toHaveURL(/\/signin/);
});

test('empty fields are reported before anything is sent', async ({ page }) => {
  await page.goto('/signin');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Please enter a user name')).toBeVisible();
  await expect(page.getByText('Please enter the password')).toBeVisible();
});

test('a host shows its own tenant', async ({ page }) => {
  await page.goto(`${siteOf('neighbour')}/signin`);
  await expect(page.getByText('neighbour').first()).toBeVisible();
  await expect(page.getByText('Aydın Valley Growers')).toHaveCount(0);
});

test('the session survives a reload, and a second tab shares it', async ({ page, context }) => {
  await signIn(page);
  await page.reload();
  await expect(page.getByRole('treeitem', { name: /Orchard mast/ })).toBeVisible();
  const second = await context.newPage();
  await second.goto('/');
  await expect(second.getByRole('treeitem', { name: /Orchard mast/ })).toBeVisible();
});
