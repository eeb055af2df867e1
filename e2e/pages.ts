import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Signs in as the orchard's user and waits for the home page. */
export async function signIn(page: Page): Promise<void> {
  await page.goto('/signin');
  await page.getByLabel('User name').fill('elif');
  await page.getByLabel('Password', { exact: true }).fill('long-enough-secret');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/dashboard-default/);
  await expect(page.getByRole('treeitem', { name: /Orchard mast/ })).toBeVisible();
}

/** The screen is live when the foot of the sidebar says so. */
export async function expectLive(page: Page): Promise<void> {
  await expect(page.getByText(/^Live/)).toBeVisible();
}

/** No finding of axe that is serious or worse. */
export async function expectAccessible(page: Page): Promise<void> {
  // Half-way through a change of theme a colour is neither the one nor the other.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((animation) => animation.finished),
    ),
  );
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}

/** Nothing is wider than the screen. */
export async function expectNoSideways(page: Page): Promise<void> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(over).toBeLessThanOrEqual(0);
}
