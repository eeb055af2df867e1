import { button, expectAccessible, expectNoHorizontalScroll, textbox } from './pages.ts';
import { striped } from './picture.ts';
import { addProfileUser, call, host, open } from './profileUsers.ts';
import { expect, test } from './test.ts';
import { setOwnAddress } from './testUsers.ts';

// Every state of the profile in both themes, on a desktop and on a phone. Each test has its own
// user with its own phone number.

test.use({ host });
test.beforeEach(({ context }) => setOwnAddress(context));

for (const darkMode of [false, true]) {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    test(`is accessible, ${darkMode ? 'dark' : 'light'} at ${width} px`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await page.addInitScript((dark) => {
        localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: dark }, version: 0 }));
      }, darkMode);
      const fine = async () => {
        await expect(page.locator('html')).toHaveAttribute('data-theme', darkMode ? 'dark' : 'light');
        await expectNoHorizontalScroll(page);
        await expectAccessible(page);
      };
      const dialog = page.getByRole('dialog');
      const closed = async () => {
        await page.keyboard.press('Escape');
        await expect(dialog).toBeHidden();
      };
      const person = await addProfileUser();
      await call(person, '/admin-api/client/pc/apicredentials/create', {
        name: 'A name as long as names may be'.repeat(2),
      });

      await open(page, person);
      await expect(textbox(page, 'Nickname')).toHaveValue(person.nickname);
      await fine();
      await button(page, 'Update').click();
      await expect(dialog).toBeVisible();
      await fine();
      await closed();
      await button(page, 'Change picture').click();
      await expect(dialog).toBeVisible();
      await fine();
      await page.locator('input[type="file"]').setInputFiles({
        name: 'me.png',
        mimeType: 'image/png',
        buffer: striped(300, [[300, [90, 140, 60]]]),
      });
      await expect(button(page, 'Use this picture')).toBeVisible();
      await fine();
      await closed();

      await page.getByRole('tab', { name: 'Change password' }).click();
      await expect(button(page, 'Change password')).toBeVisible();
      await fine();
      for (const [password, word] of [
        ['short', 'Too short'],
        ['sunshine', 'Weak'],
        ['xk4Tq9Zp', 'Fair'],
        ['xk4Tq9Zp2v', 'Good'],
        ['pump lantern violet river', 'Strong'],
      ] as const) {
        await page.getByLabel(/^New password(?! again)/).fill(password);
        await expect(page.getByText(word, { exact: true })).toBeVisible();
        await fine();
      }

      await page.getByRole('tab', { name: 'My app' }).click();
      await expect(page.getByText(/^A name as long/)).toBeVisible();
      await fine();
      for (const opener of [/^Close: /, /^Delete: /]) {
        await page.getByRole('button', { name: opener }).click();
        await expect(dialog).toBeVisible();
        await fine();
        await closed();
      }
      await button(page, 'New key').click();
      await expect(dialog).toBeVisible();
      await fine();
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Planner');
      await button(page, 'Create key').click();
      await expect(page.getByRole('dialog', { name: 'Keep the secret now' })).toBeVisible();
      await expect(page.getByRole('dialog', { name: 'New key' })).toBeHidden();
      await fine();
    });
  }
}
