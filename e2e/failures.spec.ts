import type { Page, Route } from '@playwright/test';
import { button } from './pages.ts';
import { applyYaml, siteOf } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type TestUser } from './testUsers.ts';

// What the user sees of failing calls: a toast, a dialog, a note in the place of a list or in a form.
// web/src/lib/http/errorCatalogue.test.ts checks every call of the contract and every code.

const person: TestUser = { tenantName: 'fallow', userName: 'nuri', password: 'nothing-grows-here' };
const serverSentence = 'The server’s own words';
const list = '**/admin-api/client/pc/notice-channel/page*';

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

const answering = (code: number) => (route: Route) =>
  route.fulfill({ json: { code, data: null, msg: serverSentence } });
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

test('a failing list shows its error once, in its place too; a form’s own error stays in it', async ({ page }) => {
  await openSignedIn(page, person, '/message', siteOf('fallow'));
  const note = page.getByRole('main').getByRole('alert');
  const catalogue: [name: string, answer: (route: Route) => Promise<void>, way: ErrorPresentation, text: string][] = [
    ['601', answering(601), 'warning', serverSentence],
    ['500', answering(500), 'error', serverSentence],
    ['403', answering(403), 'dialog', 'You do not have permission for this'],
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
  // The error's dialog is above the form's.
  await expectErrorShown(page, 'dialog', 'Could not save', serverSentence);
  await expect(form.getByRole('alert')).toHaveCount(0);
  await expect(form.getByRole('textbox', { name: 'Name' })).toHaveValue('Planner 2');
});
