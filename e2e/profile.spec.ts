import type { Locator } from '@playwright/test';
import { button, textbox, toast } from './pages.ts';
import { type Colour, striped } from './picture.ts';
import { addProfileUser, bar, call, host, lastCodeSentTo, open } from './profileUsers.ts';
import { addresses, siteOf } from './server.ts';
import { expect, test } from './test.ts';
import { openSession, openSignedIn, setOwnAddress } from './testUsers.ts';

// Each test has its own user with its own phone number.

test.use({ host });
test.beforeEach(({ context }) => setOwnAddress(context));

test('a number is bound with the code that was sent to it, and the other data are saved', async ({ page }) => {
  const person = await addProfileUser(false);
  await open(page, person);
  await button(page, 'Bind').click();
  const dialog = page.getByRole('dialog', { name: 'Bind a mobile number' });
  const mobile = dialog.getByRole('textbox', { name: 'Mobile' });
  const code = dialog.getByRole('textbox', { name: 'Verification code' });
  const again = dialog.getByRole('button', { name: /^Again in \d+ s$/ });
  await mobile.fill(person.mobile.replace('+90', '+90 '));
  await dialog.getByRole('button', { name: 'Send code' }).click();
  await expect(again).toBeDisabled();
  await expect(code).toBeFocused();

  // The wait for another code outlives the dialog and the page.
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.reload();
  await button(page, 'Bind').click();
  await expect(again).toBeDisabled();
  await mobile.fill(person.mobile);
  await code.fill(await lastCodeSentTo(person.mobile));
  await dialog.getByRole('button', { name: 'Bind number' }).click();
  await expect(toast(page, 'success')).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(textbox(page, 'Mobile')).toHaveValue(person.mobile);
  await expect(button(page, 'Update')).toBeVisible();

  await textbox(page, 'Nickname').fill('  Selin Yıldız-Öztürk ');
  await textbox(page, 'Email').fill('selin.yildiz@example.com');
  await button(page, 'Save').click();
  await expect(toast(page, 'modify successfully')).toBeVisible();
  await expect(bar(page)).toContainText('Selin Yıldız-Öztürk');
  await page.reload();
  await expect(textbox(page, 'Nickname')).toHaveValue('Selin Yıldız-Öztürk');
  expect((await call(person, '/app-api/member/user/get')).data).toMatchObject({
    nickname: 'Selin Yıldız-Öztürk',
    email: 'selin.yildiz@example.com',
    mobile: person.mobile,
  });
});

test('a password changes with a code, and ends only the other browser’s session', async ({
  page,
  browser,
  baseURL,
}) => {
  const person = await addProfileUser();
  const elsewhere = await browser.newContext({ baseURL });
  const other = await elsewhere.newPage();
  await open(other, person);
  await expect(textbox(other, 'Nickname')).toHaveValue(person.nickname);

  // Only this form fetches the list of common passwords, and only once something is typed.
  const lists: string[] = [];
  page.on('request', (request) => {
    if (/\/assets\/estimate-/.test(request.url())) lists.push(request.url());
  });
  await open(page, person, 'password');
  const fresh = page.getByLabel(/^New password(?! again)/);
  await expect(page.getByText(/^Three or four words/)).toBeVisible();
  expect(lists).toEqual([]);
  const password = 'pump lantern violet river';
  await fresh.fill(password);
  await expect(page.getByText('Strong', { exact: true })).toBeVisible();
  expect(lists).toHaveLength(1);

  await page.getByLabel('New password again').fill(password);
  await button(page, 'Send code').click();
  await textbox(page, 'Verification code').fill(await lastCodeSentTo(person.mobile));
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

test('a program’s key is five clicks from the home page, is copied, works, and works no more once closed', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: siteOf('profiles') });
  await openSignedIn(page, await addProfileUser(), '/dashboard-default', siteOf('profiles'));
  let clicks = 0;
  const click = async (control: Locator) => {
    clicks += 1;
    await control.click();
  };
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await click(page.getByRole('navigation').getByRole('link', { name: 'Profile', exact: true }));
  await click(page.getByRole('tab', { name: 'My app' }));
  await click(button(page, 'New key'));
  // The name has the focus: one types at once.
  await expect(page.getByRole('dialog', { name: 'New key' }).getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Irrigation planner');
  await click(button(page, 'Create key'));
  const shown = page.getByRole('dialog', { name: 'Keep the secret now' });
  await click(shown.getByRole('button', { name: 'Copy the secret' }));
  expect(clicks).toBe(5);
  await expect(shown.getByText('Copied').first()).toBeVisible();
  const secret = await clipboard();
  await shown.getByRole('button', { name: 'Copy the key' }).click();
  await expect.poll(clipboard).not.toBe(secret);
  const key = await clipboard();
  for (const text of [key, secret]) {
    expect(text).toMatch(/^\S{16,}$/);
    await expect(shown.getByText(text, { exact: true })).toBeVisible();
  }
  await shown.getByRole('checkbox', { name: 'I have stored the secret' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown).toBeHidden();

  const status = async () => {
    const headers = { Authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` };
    return (await context.request.get(`${addresses().console}/open-api/v1/devices`, { headers })).status();
  };
  expect(await status()).toBe(200);
  await page.reload();
  const row = page.getByRole('row', { name: /Irrigation planner/ });
  await expect(row).toContainText('24 h: 1');
  const everything = `${await page.content()}${await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))}`;
  expect(everything).toContain(key);
  expect(everything).not.toContain(secret);
  await page.getByRole('link', { name: 'API reference' }).click();
  await expect(page.getByRole('heading', { name: 'Tilth Open API' })).toBeVisible();
  await page.goBack();

  await button(page, 'Close: Irrigation planner').click();
  await button(page, 'Close key').click();
  await expect(row.getByText('Closed', { exact: true })).toBeVisible();
  expect(await status()).toBe(401);
  await button(page, 'Delete: Irrigation planner').click();
  await button(page, 'Delete key').click();
  await expect(page.getByRole('heading', { name: 'No keys yet' })).toBeVisible();
});

test('a picture is dragged and zoomed, cropped as shown, uploaded, and appears in the bar at once', async ({
  page,
}) => {
  const [red, blue]: Colour[] = [
    [214, 40, 40],
    [40, 60, 214],
  ];
  const stripes = striped(300, [
    [450, red as Colour],
    [450, blue as Colour],
  ]);
  const dialog = page.getByRole('dialog', { name: 'Profile picture' });
  const part = page.getByRole('group', { name: 'The part that is kept' }).locator('canvas');
  const picture = bar(page).locator('img');
  const choose = async () => {
    await button(page, 'Change picture').click();
    await page.locator('input[type="file"]').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: stripes });
    // Waits until the dialog is in place: a press outside would close it.
    await part.hover({ trial: true });
  };
  await open(page, await addProfileUser());
  await choose();
  await expect.poll(() => colours(part)).toEqual(['red', 'blue']);
  await button(page, 'Use this picture').click();
  await expect(toast(page, 'Picture changed')).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect.poll(() => colours(picture)).toEqual(['red', 'blue']);

  await choose();
  await page.getByRole('slider', { name: 'Zoom' }).fill('50');
  const box = await part.boundingBox();
  if (!box) throw new Error('nothing to crop');
  // The mouse drags the picture to the right: its left part comes in.
  await page.mouse.move(box.x + 20, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 5, box.y + box.height / 2, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => colours(part)).toEqual(['red', 'red']);
  await button(page, 'Use this picture').click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => colours(picture)).toEqual(['red', 'red']);
  await page.reload();
  await expect.poll(() => colours(picture)).toEqual(['red', 'red']);
});

/** The colours of a picture or a canvas, at its left and right quarters; none without it. */
function colours(of: Locator): Promise<string[]> {
  return of.evaluateAll(async (elements) => {
    const element = elements.at(-1) as HTMLImageElement | HTMLCanvasElement | undefined;
    if (!element) return [];
    if (element instanceof HTMLImageElement) await element.decode();
    const canvas = new OffscreenCanvas(100, 100);
    const context = canvas.getContext('2d');
    context?.drawImage(element, 0, 0, 100, 100);
    return [25, 75].map((x) => {
      const [r = 0, , b = 0] = context?.getImageData(x, 50, 1, 1).data ?? [];
      return r > b ? 'red' : 'blue';
    });
  });
}
