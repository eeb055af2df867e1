import { expect, type Page } from '@playwright/test';
import { addresses } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { openSignedIn } from './testUsers.ts';

const orchardUser = { userName: 'elif', password: 'long-enough-secret', tenantName: 'orchard' };

/**
 * Signs in as the orchard's user without the sign-in page, and waits for the home page, where most
 * tests begin. `site` is the console's address for the browser.
 */
export async function signIn(page: Page, site: string = addresses().console): Promise<void> {
  await openSignedIn(page, orchardUser, '/', site);
  await expectHomePage(page);
}

/** Fills the open sign-in form and presses its button. */
export async function fillSignIn(page: Page, userName: string, password: string): Promise<void> {
  await page.getByLabel('User name').fill(userName);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in like a user: with the form and the slider. */
export async function signInManually(page: Page): Promise<void> {
  await page.goto('/signin');
  await fillSignIn(page, orchardUser.userName, orchardUser.password);
  await solveSlider(page);
}

/** The home page shows the orchard's data. */
export async function expectHomePage(page: Page): Promise<void> {
  await expect(page).toHaveURL(/\/dashboard-default/);
  await expect(page.getByRole('treeitem', { name: /Orchard mast/ })).toBeVisible();
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
/** The app's toast, or its error dialog. */
export const toast = (page: Page, text: string) => page.locator('p').getByText(text, { exact: true });

/** The sidebar's footer says that the screen is live. */
export async function expectLive(page: Page): Promise<void> {
  await expect(page.getByText(/^Live/)).toBeVisible();
}

/** Nothing is wider than the screen. */
export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(over).toBeLessThanOrEqual(0);
}
