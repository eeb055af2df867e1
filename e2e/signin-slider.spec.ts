import type { Locator, Page } from '@playwright/test';
import { expectNoHorizontalScroll, fillSignIn } from './pages.ts';
import { applyYaml } from './server.ts';
import { captchaOf, dragTo, type Move, placePiece, solveSlider, stepTo, swipeTo } from './solveSlider.ts';
import { expect, test } from './test.ts';
import { setOwnAddress } from './testUsers.ts';

// The slider captcha of the sign-in page, with the server's own pictures.

const person = { userName: 'mert', password: 'slides-into-place', nickname: 'Mert Demir' };
test.use({ host: 'sliders.localhost' });

test.beforeAll(() => {
  const place = { name: 'sliders', hosts: ['sliders.localhost'], timeZone: 'Europe/Istanbul', language: 'en-us' };
  return applyYaml(JSON.stringify({ tenants: [{ ...place, users: [person] }] }));
});

test.beforeEach(({ context }) => setOwnAddress(context));

async function openCaptcha(page: Page): Promise<ReturnType<typeof captchaOf>> {
  await page.goto('/signin');
  await fillSignIn(page, person.userName, person.password);
  const captcha = captchaOf(page);
  await expect(captcha.outcome).toHaveAttribute('data-phase', 'idle');
  return captcha;
}

async function expectSignedIn(page: Page): Promise<void> {
  await expect(page).toHaveURL(/\/dashboard-default/);
}

const picture = (panel: Locator) => panel.getByRole('img', { name: 'Picture with a gap for the piece' });

/** The strongest channel of an element's colour. */
async function strongestColour(element: Locator): Promise<'red' | 'green' | 'blue'> {
  const rgb = await element.evaluate(
    (node) =>
      getComputedStyle(node)
        .color.match(/[\d.]+/g)
        ?.map(Number) ?? [],
  );
  const strongest = rgb.slice(0, 3).indexOf(Math.max(...rgb.slice(0, 3)));
  return (['red', 'green', 'blue'] as const)[strongest] ?? 'blue';
}

test('dragging: a misplaced piece is replaced, the piece in its place signs in', async ({ page }) => {
  // The clock is held: a result that is shown for a second stays visible however slow the machine is.
  await page.clock.install();
  const { panel, slider, outcome } = await openCaptcha(page);
  await page.clock.pauseAt(Date.now() + 30_000);
  const image = await picture(panel).boundingBox();
  expect([Math.round(image?.width ?? 0), Math.round(image?.height ?? 0)]).toEqual([400, 200]);

  const first = (await picture(panel).getAttribute('src')) ?? '';
  const failed = panel.getByText('Verification failed, try again');
  await dragTo(page, slider, 20);
  await expect(failed).toBeVisible();
  expect(await strongestColour(failed)).toBe('red');
  await page.clock.runFor(950);
  await expect(outcome).toHaveAttribute('data-phase', 'fail');
  await page.clock.runFor(100);
  await expect(outcome).toHaveAttribute('data-phase', 'idle');
  await expect(slider).toHaveAttribute('aria-valuenow', '0');
  await expect(picture(panel)).not.toHaveAttribute('src', first);
  await expect(page).toHaveURL(/\/signin/);

  const second = (await picture(panel).getAttribute('src')) ?? '';
  await page.keyboard.press('Shift+ArrowRight');
  await expect(slider).toHaveAttribute('aria-valuenow', '10');
  await panel.getByRole('button', { name: 'New picture' }).click();
  await expect(picture(panel)).not.toHaveAttribute('src', second);
  await expect(slider).toHaveAttribute('aria-valuenow', '0');

  const sent = page.waitForRequest('**/login-username');
  let asked = false;
  const request = sent.then(() => {
    asked = true;
  });
  const slowly: Move = (on, handle, x) => dragTo(on, handle, x, () => on.clock.runFor(2300));
  // A misread picture is replaced after a second.
  while (!(await placePiece(page, slowly))) await page.clock.runFor(1000);
  const verdict = panel.getByText('Verified in 2.3 s', { exact: true });
  await expect(verdict).toBeVisible();
  expect(await strongestColour(verdict)).toBe('green');
  await page.clock.runFor(950);
  await expect(outcome).toHaveAttribute('data-phase', 'ok');
  expect(asked).toBe(false);
  await page.clock.runFor(100);
  await request;
  expect((await sent).postDataJSON()).toEqual({
    userName: person.userName,
    password: person.password,
    tenantName: 'sliders',
    rememberMe: true,
    captchaVerification: expect.stringMatching(/^[A-Za-z0-9+/]{60,}={0,2}$/),
  });
  await page.clock.resume();
  await expectSignedIn(page);
});

test('the keyboard alone is sufficient', async ({ page }) => {
  await page.goto('/signin');
  await expect(page.getByLabel('User name')).toBeFocused();
  await page.keyboard.type(person.userName);
  await page.keyboard.press('Tab');
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');

  const { panel, slider, outcome } = captchaOf(page);
  await expect(outcome).toHaveAttribute('data-phase', 'idle');
  await expect(slider).toBeFocused();
  // The way without the picture comes after the slider, and is seen only with the focus.
  const other = panel.getByRole('button', { name: 'Go on without the picture' });
  const place = other.locator('..');
  expect((await place.boundingBox())?.height).toBe(1);
  await page.keyboard.press('Tab');
  await expect(other).toBeFocused();
  expect((await place.boundingBox())?.height).toBeGreaterThan(40);
  await expect(place).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeFocused();
  await page.keyboard.press('Enter');
  await solveSlider(page, stepTo);
  await expectSignedIn(page);
});

test('on a phone the captcha fits, and a finger drags the piece without scrolling the page', async ({
  browser,
  baseURL,
}) => {
  const screen = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
  const context = await browser.newContext({ baseURL, ...screen });
  await setOwnAddress(context);
  const page = await context.newPage();
  const { panel, slider } = await openCaptcha(page);
  await expectNoHorizontalScroll(page);
  await expect(panel).toBeInViewport({ ratio: 1 });
  const handle = await slider.boundingBox();
  expect(Math.min(handle?.width ?? 0, handle?.height ?? 0)).toBeGreaterThanOrEqual(44);
  const image = await picture(panel).boundingBox();
  expect((image?.width ?? 0) / (image?.height ?? 1)).toBeCloseTo(2, 1);
  const scrolled = await page.evaluate(() => window.scrollY);
  await solveSlider(page, async (...move) => {
    await swipeTo(...move);
    expect(await page.evaluate(() => window.scrollY)).toBe(scrolled);
  });
  await expectSignedIn(page);
  await context.close();
});
