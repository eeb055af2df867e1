import { expectHomePage, fillSignIn, signInManually } from './pages.ts';
import { siteOf } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { expect, test } from './test.ts';
import { setOwnAddress } from './testUsers.ts';

test('a user signs in after a wrong password, stays so over a reload and in another tab, and signs out', async ({
  page,
  context,
}) => {
  await setOwnAddress(context);
  const loaded: string[] = [];
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loaded.push(new URL(request.url()).pathname);
  });
  await page.goto(`${siteOf('orchard')}/`);
  await expect(page).toHaveURL(/\/signin/);
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page.getByText('Aydın Valley Growers').first()).toBeVisible();
  await page.waitForLoadState('networkidle');
  // Unlike a phone's, this page is not loaded afresh.
  expect(loaded).toEqual(['/']);

  // Failures count for the account too, and most tests use the orchard's.
  await page.goto('/signin');
  await fillSignIn(page, 'nobody-of-the-orchard', 'not the password');
  await solveSlider(page);
  await expect(page.getByText('login failed')).toBeVisible();
  await expect(page.getByText('User name or password is wrong')).toBeVisible();
  await expect(page).toHaveURL(/\/signin/);

  await signInManually(page);
  await expectHomePage(page);
  await expect(page.getByText('Elif Kaya')).toBeVisible();
  await page.reload();
  await expectHomePage(page);
  const second = await context.newPage();
  await second.goto('/');
  await expectHomePage(second);

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Quit' }).click();
  await expect(page).toHaveURL(/\/signin/);
  await page.goto('/dashboard-default');
  await expect(page).toHaveURL(/\/signin/);
});
