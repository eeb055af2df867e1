import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { addresses } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { openSignedIn } from './testUsers.ts';

const orchardUser = { userName: 'elif', password: 'long-enough-secret', tenantName: 'orchard' };

/**
 * Signs in as the orchard's user, past the sign-in page, and waits for the home page: what most tests are about begins there. `site`
 * is where the browser reaches the console.
 */
export async function signIn(page: Page, site: string = addresses().console): Promise<void> {
  await openSignedIn(page, orchardUser, '/', site);
  await expectHomePage(page);
}

/** Fills the sign-in form that is open and presses its button. */
export async function fillSignIn(page: Page, userName: string, password: string): Promise<void> {
  await page.getByLabel('User name').fill(userName);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in as a person does: with the form and the slider. */
export async function signInManually(page: Page): Promise<void> {
  await page.goto('/signin');
  await fillSignIn(page, orchardUser.userName, orchardUser.password);
  await solveSlider(page);
}

/** The home page stands there with what the orchard has. */
export async function expectHomePage(page: Page): Promise<void> {
  await expect(page).toHaveURL(/\/dashboard-default/);
  await expect(page.getByRole('treeitem', { name: /Orchard mast/ })).toBeVisible();
}

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
/** What the app says in passing, or in its dialog. */
export const toast = (page: Page, text: string) => page.locator('p').getByText(text, { exact: true });

/** The screen is live when the foot of the sidebar says so. */
export async function expectLive(page: Page): Promise<void> {
  await expect(page.getByText(/^Live/)).toBeVisible();
}

/**
 * Waits until nothing on the page moves. Half-way through a change of theme a colour is neither the one nor the other, and what fades in
 * is half transparent. antd's parts start to move some frames after they are there, one after the other; their classes say so from the
 * first. The ring around a button that was pressed goes on for seconds and is nobody's concern.
 */
async function waitForAnimations(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const ring = '.ant-wave';
    const runs = ({ playState, effect }: Animation) =>
      playState === 'running' &&
      effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY &&
      !(effect instanceof KeyframeEffect && effect.target?.matches(ring));
    const comesOrGoes = ['appear', 'enter', 'leave'].map((way) => `[class*="-${way}"]:not(${ring})`).join();
    return !document.querySelector(comesOrGoes) && !document.getAnimations().some(runs);
  });
}

/** No finding of axe that is serious or worse. */
export async function expectAccessible(page: Page): Promise<void> {
  await waitForAnimations(page);
  // Only a page with frames needs another page to gather in what they have found; what is well is nobody's concern here.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(page.frames().length === 1)
    .options({ resultTypes: ['violations'] })
    .analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}

/** Nothing is wider than the screen. */
export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(over).toBeLessThanOrEqual(0);
}
