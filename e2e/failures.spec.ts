import type { Page, Route } from '@playwright/test';
import { button, fillSignIn } from './pages.ts';
import { addresses, applyYaml, siteOf } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// What the user sees of failing calls, by the specification's error catalogue: of lists, of
// changes, in forms and as a step. web/src/lib/http/errorCatalogue.test.ts checks every call of the
// contract.

const person: TestUser = { tenantName: 'fallow', userName: 'nuri', password: 'nothing-grows-here' };
const serverSentence = 'The server’s own words';
const path = '/admin-api/client/pc/notice-channel';

test.use({ host: 'fallow.localhost' });

test.beforeAll(() =>
  applyYaml(`
tenants:
  - name: fallow
    hosts: [fallow.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: nuri, password: ${person.password}, nickname: Nuri}]
`),
);

type ErrorPresentation = 'warning' | 'error' | 'dialog';

const answering =
  (code: number, headers: Record<string, string> = {}, data: object | null = null) =>
  (route: Route) =>
    route.fulfill({ headers, json: { code, data, msg: serverSentence } });
const toasts = (page: Page) => page.locator('[data-tone]');
const errorDialog = (page: Page) => page.getByRole('dialog', { name: 'Error', exact: true });

/** The error appears once, in this form and no other; closes it. */
async function expectErrorShown(page: Page, presentation: ErrorPresentation, ...texts: string[]): Promise<void> {
  const dialog = errorDialog(page);
  const place = presentation === 'dialog' ? dialog : toasts(page);
  for (const text of texts) await expect(place).toContainText(text);
  if (presentation === 'dialog') {
    await expect(toasts(page)).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toBeHidden();
    return;
  }
  await expect(dialog).toBeHidden();
  await expect(place).toHaveAttribute('data-tone', presentation);
  await place.getByRole('button', { name: 'Close' }).click();
  await expect(place).toHaveCount(0);
}

test('a failing list shows the error in its place, and once by its code', async ({ page }) => {
  await openSignedIn(page, person, '/message', siteOf('fallow'));
  const list = `**${path}/page*`;
  const note = page.getByRole('main').getByRole('alert');
  const catalogue: [name: string, answer: (route: Route) => Promise<void>, way: ErrorPresentation, text: string][] = [
    ['601', answering(601), 'warning', serverSentence],
    ['500', answering(500), 'error', serverSentence],
    ['-699', answering(-699), 'error', serverSentence],
    ['403', answering(403), 'dialog', 'You do not have permission for this'],
    ['404', answering(404), 'dialog', 'This resource does not exist'],
    ['777', answering(777), 'dialog', serverSentence],
    ['429', answering(429, { 'Retry-After': '1' }), 'dialog', serverSentence],
    ['no network', (route) => route.abort(), 'error', 'Cannot connect to the server'],
  ];
  for (const [name, answer, presentation, text] of catalogue) {
    await test.step(name, async () => {
      let asked = 0;
      await page.route(list, (route) => {
        asked += 1;
        return answer(route);
      });
      await page.getByRole('link', { name: 'Notification channel' }).click();
      await expectErrorShown(page, presentation, text);
      await expect(note).toBeVisible();
      if (name === '429') expect(asked).toBe(2);
      if (name === '500') {
        // The same failure again is not reported.
        await note.getByRole('button', { name: 'Retry' }).click();
        await expect.poll(() => asked).toBe(2);
        await expect(note.getByRole('button', { name: 'Retry' })).toHaveAttribute('aria-disabled', 'false');
        await expect(toasts(page)).toHaveCount(0);
      }
      await page.unroute(list);
      if (name !== 'no network') await page.goBack();
    });
  }
  await note.getByRole('button', { name: 'Retry' }).click();
  await expect(note).toHaveCount(0);
});

test('a refused change is reported in its feature’s words, a form itself shows correctable input', async ({ page }) => {
  await fetchApiData(person, 'POST', `${path}/create`, {
    noticeName: 'Nobody',
    noticeMode: ['phoneMessage'],
    phoneMessage: ['+905550009901'],
  });
  await openSignedIn(page, person, '/notification', siteOf('fallow'));

  await test.step('601, if the specification has an error', async () => {
    await page.route(`**${path}/delete*`, answering(601));
    await button(page, 'Delete: Nobody').click();
    await button(page, 'Delete channel').click();
    await expectErrorShown(page, 'error', 'Could not delete', serverSentence);
    await button(page, 'Cancel').click();
  });

  await test.step('601, if it has none', async () => {
    await page.route(`**${path}/test*`, answering(601));
    await button(page, 'Test: Nobody').click();
    await expectErrorShown(page, 'warning', 'The test could not be sent', serverSentence);
  });

  await test.step('601 in a form, then another code', async () => {
    await page.goto('/profile?tab=app');
    await button(page, 'New key').click();
    const form = page.getByRole('dialog', { name: 'New key' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Planner');
    await page.route('**/apicredentials/create', answering(601));
    await form.getByRole('button', { name: 'Create key' }).click();
    await expect(form.getByRole('alert')).toContainText(serverSentence);
    await expect(toasts(page)).toHaveCount(0);
    await form.getByRole('textbox', { name: 'Name' }).fill('Planner 2');
    await page.route('**/apicredentials/create', answering(777));
    await form.getByRole('button', { name: 'Create key' }).click();
    await expectErrorShown(page, 'dialog', 'Could not save', serverSentence);
    await expect(form.getByRole('alert')).toHaveCount(0);
    await expect(form.getByRole('textbox', { name: 'Name' })).toHaveValue('Planner 2');
  });
});

test('601 that asks for the captcha opens it, without a message', async ({ page }) => {
  await page.route('**/console/settings', async (route) => {
    // Only browsers resolve *.localhost.
    const answer = await route.fetch({ url: route.request().url().replace(siteOf('fallow'), addresses().console) });
    const body = await answer.json();
    await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, captcha: 'off' } } });
  });
  let asked = 0;
  await page.route('**/login-username', (route) => {
    asked += 1;
    return asked === 1 ? answering(601, {}, { captchaRequired: true })(route) : route.continue();
  });
  await page.goto('/signin');
  await fillSignIn(page, person.userName, person.password);
  await expect(page.getByRole('slider')).toBeVisible();
  expect(asked).toBe(1);
  await expect(toasts(page)).toHaveCount(0);
  await solveSlider(page);
  await expect(page).toHaveURL(/\/dashboard-default/);
});
