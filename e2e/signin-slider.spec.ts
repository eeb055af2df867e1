import type { Locator, Page } from '@playwright/test';
import { expectAccessible, expectNoHorizontalScroll, fillSignIn } from './pages.ts';
import { addresses, applyYaml } from './server.ts';
import { captchaOf, dragTo, type Move, outcomeOf, placePiece, solveSlider, stepTo, swipeTo } from './solveSlider.ts';
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

/**
 * Opens the captcha on a page whose clock only the test advances: a result that is shown for a
 * second stays visible however slow the machine is.
 */
async function openCaptchaWithSlowAnswer(page: Page): Promise<ReturnType<typeof captchaOf>> {
  await page.clock.install();
  const captcha = await openCaptcha(page);
  await page.clock.pauseAt(Date.now() + 30_000);
  return captcha;
}

test('dragging the piece into its place signs in, and shows how long it took', async ({ page }) => {
  const { panel, outcome } = await openCaptchaWithSlowAnswer(page);
  const sent = page.waitForRequest('**/login-username');
  let asked = false;
  const request = sent.then(() => {
    asked = true;
  });
  const slowly: Move = (on, slider, x) => dragTo(on, slider, x, () => on.clock.runFor(2300));
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

test('a misplaced piece is reported in red, and after a second there is another picture', async ({ page }) => {
  const { panel, slider, outcome } = await openCaptchaWithSlowAnswer(page);
  const first = await picture(panel).getAttribute('src');
  const failed = panel.getByText('Verification failed, try again');
  await dragTo(page, slider, 20);
  await expect(failed).toBeVisible();
  expect(await strongestColour(failed)).toBe('red');
  await page.clock.runFor(950);
  await expect(outcome).toHaveAttribute('data-phase', 'fail');
  await page.clock.runFor(100);
  await expect(outcome).toHaveAttribute('data-phase', 'idle');
  await expect(slider).toHaveAttribute('aria-valuenow', '0');
  await expect(picture(panel)).not.toHaveAttribute('src', first ?? '');
  await expect(page).toHaveURL(/\/signin/);
  await page.clock.resume();
  await solveSlider(page);
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
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeFocused();
  await page.keyboard.press('Enter');
  await solveSlider(page, stepTo);
  await expectSignedIn(page);
});

test('the keys move both ways and stop at the ends', async ({ page }) => {
  const { slider } = await openCaptcha(page);
  await expect(slider).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(slider).toHaveAttribute('aria-valuenow', '0');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await expect(slider).toHaveAttribute('aria-valuenow', '9');
  await expect(slider).toHaveAttribute('aria-valuetext', /^Piece at 3\s?%$/);
  for (let press = 0; press < 30; press += 1) await page.keyboard.press('Shift+ArrowRight');
  await expect(slider).toHaveAttribute('aria-valuenow', '263');
});

test('another picture can be requested', async ({ page }) => {
  const { panel, slider } = await openCaptcha(page);
  const first = await picture(panel).getAttribute('src');
  await page.keyboard.press('Shift+ArrowRight');
  await panel.getByRole('button', { name: 'New picture' }).click();
  await expect(picture(panel)).not.toHaveAttribute('src', first ?? '');
  await expect(slider).toHaveAttribute('aria-valuenow', '0');
  await solveSlider(page);
  await expectSignedIn(page);
});

test('a picture is replaced after two minutes', async ({ page }) => {
  await page.clock.install();
  const { panel } = await openCaptcha(page);
  const first = await picture(panel).getAttribute('src');
  await expect(panel.getByText(/New picture in [12]:\d\d/)).toBeVisible();
  const asked = page.waitForRequest('**/captcha/get');
  await page.clock.fastForward(120_000);
  await asked;
  await expect(picture(panel)).not.toHaveAttribute('src', first ?? '');
  await page.clock.resume();
  await solveSlider(page);
  await expectSignedIn(page);
});

test('a refused picture is reported in the server’s words, and can be requested again', async ({ page }) => {
  const verdict = 'Too many pictures were asked for. Wait a minute';
  await page.route('**/captcha/get', (route) =>
    route.fulfill({ json: { repCode: '6201', repMsg: verdict, repData: null, success: false } }),
  );
  await page.goto('/signin');
  await fillSignIn(page, person.userName, person.password);
  const { panel } = captchaOf(page);
  await expect(panel.getByText(verdict)).toBeVisible();
  await expect(panel.getByRole('slider')).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);
  await page.unroute('**/captcha/get');
  await panel.getByRole('button', { name: 'Retry' }).click();
  await solveSlider(page);
  await expectSignedIn(page);
});

test('an unreachable server is reported, and can be retried', async ({ page }) => {
  await page.route('**/captcha/get', (route) => route.abort());
  await page.goto('/signin');
  await fillSignIn(page, person.userName, person.password);
  const { panel } = captchaOf(page);
  await expect(panel.getByText('Cannot connect to the server')).toBeVisible();
  await page.unroute('**/captcha/get');
  await panel.getByRole('button', { name: 'Retry' }).click();
  await solveSlider(page);
  await expectSignedIn(page);
});

test('a user who fails too often is locked out of the captcha for a while, with a message', async ({ page }) => {
  const { panel, slider, outcome } = await openCaptcha(page);
  for (let failures = 1; failures <= 9; failures += 1) {
    expect(await outcomeOf(page, () => dragTo(page, slider, 20))).toBe('fail');
    await expect(outcome).toHaveAttribute('data-phase', 'idle');
  }
  await dragTo(page, slider, 20);
  await expect(outcome).toHaveAttribute('data-phase', 'broken');
  const asked = page.waitForRequest('**/captcha/get');
  await panel.getByRole('button', { name: 'Retry' }).click();
  await asked;
  // Calls again: under load, the browser sometimes discards the page's own answer before a test
  // reads it.
  const { repCode, repMsg } = await page.evaluate(async () => {
    const answer = await fetch('/admin-api/system/captcha/get', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ captchaType: 'blockPuzzle' }),
    });
    return answer.json();
  });
  expect(repCode).toBe('6202');
  await expect(panel.getByText(repMsg)).toBeVisible();
});

test('there is no captcha if the installation has it off', async ({ page }) => {
  await page.route('**/console/settings', async (route) => {
    const answer = await route.fetch({ url: `${addresses().console}/admin-api/system/console/settings` });
    const json = await answer.json();
    expect(json.data.captcha).toBe('adaptive');
    await route.fulfill({ response: answer, json: { ...json, data: { ...json.data, captcha: 'off' } } });
  });
  await page.goto('/signin');
  await fillSignIn(page, person.userName, person.password);
  await expectSignedIn(page);
});

test('a phone', async ({ browser, baseURL }) => {
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
  await expectAccessible(page);
  const scrolled = await page.evaluate(() => window.scrollY);
  await solveSlider(page, async (...move) => {
    await swipeTo(...move);
    expect(await page.evaluate(() => window.scrollY)).toBe(scrolled);
  });
  await expectSignedIn(page);
  await context.close();
});

for (const darkMode of [false, true]) {
  test(`the captcha is accessible, ${darkMode ? 'dark' : 'light'}`, async ({ page }) => {
    await page.addInitScript((dark) => {
      // Keeps a result that is shown for a second visible until axe has finished.
      const wait = window.setTimeout.bind(window);
      window.setTimeout = ((act: () => void, ms?: number) => wait(act, ms === 1000 ? 60_000 : ms)) as typeof setTimeout;
      localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: dark }, version: 0 }));
    }, darkMode);
    const { panel, slider, outcome } = await openCaptcha(page);
    await expect(page.locator('html')).toHaveAttribute('data-theme', darkMode ? 'dark' : 'light');
    const image = await picture(panel).boundingBox();
    expect([Math.round(image?.width ?? 0), Math.round(image?.height ?? 0)]).toEqual([400, 200]);
    await expectAccessible(page);
    await dragTo(page, slider, 20);
    await expect(outcome).toHaveAttribute('data-phase', 'fail');
    await expectAccessible(page);
    await expect(outcome).toHaveAttribute('data-phase', 'fail');
  });
}
