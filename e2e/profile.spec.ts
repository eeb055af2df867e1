import type { BrowserContext, Page } from '@playwright/test';
import { button, expectAccessible, textbox, toast } from './pages.ts';
import { addProfileUser, bar, call, host, lastCodeSentTo, open } from './profileUsers.ts';
import { expect, test } from './test.ts';
import { openSession, setOwnAddress } from './testUsers.ts';

// Personal data, phone number and password. Each test has its own user with its own phone number.

test.use({ host });
test.beforeEach(({ context }) => setOwnAddress(context));

/** A wrong code. */
const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

test.describe('essential information', () => {
  test('is saved, and shown at once in the card and in the bar', async ({ page }) => {
    const person = await addProfileUser();
    await open(page, person);
    await textbox(page, 'Nickname').fill('  Selin Yıldız-Öztürk ');
    await textbox(page, 'Email').fill('selin.yildiz@example.com');
    await button(page, 'Save').click();
    await expect(toast(page, 'modify successfully')).toBeVisible();
    await expect(bar(page)).toContainText('Selin Yıldız-Öztürk');
    const card = page.getByRole('region', { name: 'Selin Yıldız-Öztürk' });
    await expect(card).toContainText('selin.yildiz@example.com');
    await page.reload();
    await expect(textbox(page, 'Nickname')).toHaveValue('Selin Yıldız-Öztürk');
    await expect(textbox(page, 'Email')).toHaveValue('selin.yildiz@example.com');
    expect((await call(person, '/app-api/member/user/get')).data).toMatchObject({
      nickname: 'Selin Yıldız-Öztürk',
      email: 'selin.yildiz@example.com',
      mobile: person.mobile,
    });
  });

  test('that is missing or wrong is reported at its field, and nothing is sent', async ({ page }) => {
    await open(page, await addProfileUser());
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent += 1;
    });
    await textbox(page, 'Nickname').fill(' ');
    await textbox(page, 'Email').fill('');
    await button(page, 'Save').click();
    await expect(textbox(page, 'Nickname')).toHaveAccessibleDescription('Please enter a nickname');
    await expect(textbox(page, 'Email')).toHaveAccessibleDescription('Please enter an email address');
    await expect(textbox(page, 'Nickname')).toBeFocused();
    await textbox(page, 'Email').fill('selin@');
    await expect(textbox(page, 'Email')).toHaveAccessibleDescription('This email address is not valid');
    await expectAccessible(page);
    expect(sent).toBe(0);
  });

  test('that the server refuses is reported in its words, and the input stays', async ({ page }) => {
    const person = await addProfileUser();
    await open(page, person);
    // As if the number had been changed elsewhere in the meantime.
    await page.route('**/user/update', (route) =>
      route.continue({ postData: { ...route.request().postDataJSON(), mobile: person.other } }),
    );
    await textbox(page, 'Nickname').fill('Not to be');
    await button(page, 'Save').click();
    await expect(toast(page, 'fail modify')).toBeVisible();
    await expect(page.getByText('The mobile number changes only with a code that is sent to it')).toBeVisible();
    await expect(textbox(page, 'Nickname')).toHaveValue('Not to be');
    await expect(bar(page)).toContainText(person.nickname);
  });
});

test.describe('the mobile number', () => {
  const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });

  test('is bound only with the code that was sent to it', async ({ page }) => {
    const person = await addProfileUser(false);
    await open(page, person);
    await button(page, 'Bind').click();
    const dialog = dialogOf(page, 'Bind a mobile number');
    const mobile = dialog.getByRole('textbox', { name: 'Mobile' });
    const code = dialog.getByRole('textbox', { name: 'Verification code' });
    await dialog.getByRole('button', { name: 'Bind number' }).click();
    await expect(mobile).toHaveAccessibleDescription('Please enter a mobile number');
    await expect(code).toHaveAccessibleDescription('Please enter the verification code');
    await mobile.fill('0555 123');
    await dialog.getByRole('button', { name: 'Send code' }).click();
    await expect(mobile).toHaveAccessibleDescription('Enter the number as +905551112233');

    await mobile.fill(person.mobile.replace('+90', '+90 '));
    await dialog.getByRole('button', { name: 'Send code' }).click();
    await expect(dialog.getByRole('button', { name: /^Again in \d+ s$/ })).toBeDisabled();
    await expect(code).toBeFocused();
    const right = await lastCodeSentTo(person.mobile);
    await code.fill(wrongCode(right));
    await dialog.getByRole('button', { name: 'Bind number' }).click();
    await expect(toast(page, 'fail')).toBeVisible();
    await expect(page.getByText('The verification code is wrong')).toBeVisible();
    await expect(dialog).toBeVisible();

    await code.fill(right);
    await dialog.getByRole('button', { name: 'Bind number' }).click();
    await expect(toast(page, 'success')).toBeVisible();
    await expect(dialog).toBeHidden();
    await expect(textbox(page, 'Mobile')).toHaveValue(person.mobile);
    await expect(button(page, 'Update')).toBeVisible();
    expect((await call(person, '/app-api/member/user/get')).data.mobile).toBe(person.mobile);
  });

  test('is changed with a code to the new one; the wait survives closing and reloading', async ({ page }) => {
    const person = await addProfileUser();
    await open(page, person);
    await button(page, 'Update').click();
    const dialog = dialogOf(page, 'Update the mobile number');
    await dialog.getByRole('textbox', { name: 'Mobile' }).fill(person.other);
    await dialog.getByRole('button', { name: 'Send code' }).click();
    const again = dialog.getByRole('button', { name: /^Again in \d+ s$/ });
    await expect(again).toBeDisabled();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await page.reload();
    await button(page, 'Update').click();
    await expect(again).toBeDisabled();
    await dialog.getByRole('textbox', { name: 'Mobile' }).fill(person.other);
    await dialog.getByRole('textbox', { name: 'Verification code' }).fill(await lastCodeSentTo(person.other));
    await dialog.getByRole('button', { name: 'Update number' }).click();
    await expect(toast(page, 'success')).toBeVisible();
    await expect(dialog).toBeHidden();
    await expect(textbox(page, 'Mobile')).toHaveValue(person.other);
  });

  test('can get another code after a minute', async ({ page }) => {
    await page.clock.install();
    await open(page, await addProfileUser(), 'password');
    await button(page, 'Send code').click();
    await expect(page.getByRole('button', { name: /^Again in \d+ s$/ })).toBeDisabled();
    await page.clock.fastForward(60_000);
    await expect(button(page, 'Send code')).toBeEnabled();
    // This browser's minute is over, the server's is not: the server says so.
    await button(page, 'Send code').click();
    await expect(page.getByRole('dialog', { name: 'Error' })).toContainText(/Too many requests. Try again in \d+\ss/);
  });

  test('of another user cannot be bound', async ({ page }) => {
    const [person, owner] = [await addProfileUser(), await addProfileUser()];
    await open(page, person);
    await button(page, 'Update').click();
    const dialog = dialogOf(page, 'Update the mobile number');
    await dialog.getByRole('textbox', { name: 'Mobile' }).fill(owner.mobile);
    await dialog.getByRole('button', { name: 'Send code' }).click();
    await dialog.getByRole('textbox', { name: 'Verification code' }).fill(await lastCodeSentTo(owner.mobile));
    await dialog.getByRole('button', { name: 'Update number' }).click();
    await expect(toast(page, 'fail')).toBeVisible();
    await expect(dialog).toBeVisible();
    expect((await call(person, '/app-api/member/user/get')).data.mobile).toBe(person.mobile);
  });
});

test.describe('the password', () => {
  test('changes with a code, and ends only the other browser’s session', async ({ page, browser, baseURL }) => {
    const person = await addProfileUser();
    const elsewhere: BrowserContext = await browser.newContext({ baseURL });
    const other = await elsewhere.newPage();
    await open(other, person);
    await expect(textbox(other, 'Nickname')).toHaveValue(person.nickname);
    await open(page, person, 'password');

    await button(page, 'Change password').click();
    await expect(textbox(page, 'Verification code')).toHaveAccessibleDescription('Please enter the verification code');
    const password = 'harvested-in-autumn';
    const fresh = page.getByLabel(/^New password(?! again)/);
    await fresh.fill('short');
    await page.getByLabel('New password again').fill('other');
    await button(page, 'Change password').click();
    await expect(fresh).toHaveAccessibleDescription('At least 6 characters');
    await fresh.fill(password);
    await button(page, 'Change password').click();
    await expect(page.getByLabel('New password again')).toHaveAccessibleDescription('two passwords different');
    await page.getByLabel('New password again').fill(password);
    await button(page, 'Send code').click();
    const right = await lastCodeSentTo(person.mobile);
    await textbox(page, 'Verification code').fill(wrongCode(right));
    await button(page, 'Change password').click();
    await expect(toast(page, 'Could not change the password')).toBeVisible();
    await expect(page.getByText('The verification code is wrong')).toBeVisible();
    await textbox(page, 'Verification code').fill(right);
    await button(page, 'Change password').click();
    await expect(toast(page, 'Password changed')).toBeVisible();

    // The other browser's live stream ends at once, whatever that page is doing.
    await expect(other).toHaveURL(/\/signin/);
    await expect(other.getByText('You have been signed out')).toBeVisible();
    await page.reload();
    await expect(page).toHaveURL(/\/profile/);
    await expect(bar(page)).toContainText(person.nickname);
    await expect(openSession(person)).rejects.toThrow('601');
    expect((await openSession({ ...person, password })).accessToken).toBeTruthy();
    await elsewhere.close();
  });

  test('is rated while it is typed, by a list that only this form fetches', async ({ page }) => {
    const person = await addProfileUser();
    const lists: string[] = [];
    page.on('request', (request) => {
      if (/\/assets\/estimate-/.test(request.url())) lists.push(request.url());
    });
    await open(page, person, 'password');
    const fresh = page.getByLabel(/^New password(?! again)/);
    await expect(fresh).toHaveAccessibleDescription('At least 6 characters');
    await expect(page.getByText(/^Three or four words/)).toBeVisible();
    expect(lists).toEqual([]);

    await fresh.fill('123456');
    await expect(page.getByText(/^This is one of the first passwords that anyone tries/)).toBeVisible();
    await expect(
      page.getByRole('tabpanel').getByRole('status').filter({ hasText: 'Password strength: Weak' }),
    ).toBeAttached();
    await expect(fresh).not.toHaveAttribute('aria-invalid');
    await fresh.fill(`${person.userName}!`);
    await expect(page.getByText(/^It contains your name/)).toBeVisible();
    await fresh.fill('pump lantern violet river');
    await expect(page.getByText('Strong', { exact: true })).toBeVisible();
    expect(lists).toHaveLength(1);
  });

  test('needs a number first, and leads to it', async ({ page }) => {
    await open(page, await addProfileUser(false), 'password');
    await expect(page.getByText('Bind a mobile number first')).toBeVisible();
    await button(page, 'Bind number').click();
    await expect(page.getByRole('dialog', { name: 'Bind a mobile number' })).toBeVisible();
  });
});
