import { type BrowserContext, expect, type Page, type TestInfo, test } from '@playwright/test';
import { expectAccessible, expectNoSideways } from './pages.ts';
import { enter, fromElsewhere, openSession, type Person } from './people.ts';
import { type Colour, striped } from './picture.ts';
import { addresses, applyText, serverLog } from './server.ts';

// The profile page. Each test has a user of its own, with a number of its own.

const site = `http://profiles.localhost:${addresses.port}`;
test.use({ baseURL: site });

type Profile = Person & { nickname: string; mobile: string; other: string };
let users = 0;

/** Adds a user; without a mobile where it is said so. */
function somebody({ workerIndex }: TestInfo, bound = true): Profile {
  users += 1;
  const number = (kind: number) => `+90555${kind}${100_000 + 1_000 * workerIndex + users}`;
  const userName = `selin-${workerIndex}-${users}`;
  const password = 'planted-in-the-spring';
  const nickname = `Selin ${users}`;
  const mobile = number(1);
  const user = { userName, password, nickname, email: `${userName}@example.com`, ...(bound ? { mobile } : {}) };
  const place = { name: 'profiles', hosts: ['profiles.localhost'], timeZone: 'Europe/Istanbul', language: 'en-us' };
  applyText(JSON.stringify({ tenants: [{ ...place, users: [user] }] }));
  return { tenantName: 'profiles', userName, password, nickname, mobile, other: number(2) };
}

const open = (page: Page, person: Person, tab = '') => enter(page, person, `/profile${tab && `?tab=${tab}`}`, site);
const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const bar = (page: Page) => page.getByRole('banner');
/** What the app says in passing, or in its dialog. */
const toast = (page: Page, text: string) => page.locator('p').getByText(text, { exact: true });

/** The newest code that was sent to a number. */
async function codeTo(number: string): Promise<string> {
  const sent = () =>
    serverLog()
      .split('\n')
      .filter((line) => line.includes(`to=${number} `))
      .map((line) => /code (\d{6})/.exec(line)?.[1])
      .at(-1);
  await expect.poll(sent).toBeTruthy();
  return sent() ?? '';
}

/** Another code than the right one. */
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

const call = async (person: Person, path: string, body?: object) => {
  const { accessToken } = await openSession(person);
  const answer = await fetch(`${addresses.console}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  return answer.json();
};

test.beforeEach(({ context }) => fromElsewhere(context));

test.describe('essential information', () => {
  test('is saved, and shown at once in the card and in the bar', async ({ page }, info) => {
    const person = somebody(info);
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

  test('that is missing or wrong is named at its field, and nothing is sent', async ({ page }, info) => {
    await open(page, somebody(info));
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

  test('that the server refuses is told in its words, and what was typed stays', async ({ page }, info) => {
    const person = somebody(info);
    await open(page, person);
    // As if the number had been changed elsewhere meanwhile.
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

  test('is bound with the code that was sent to it, and with no other', async ({ page }, info) => {
    const person = somebody(info, false);
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
    const right = await codeTo(person.mobile);
    await code.fill(wrong(right));
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

  test('is changed with a code to the new one; the wait survives closing and reloading', async ({ page }, info) => {
    const person = somebody(info);
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
    await dialog.getByRole('textbox', { name: 'Verification code' }).fill(await codeTo(person.other));
    await dialog.getByRole('button', { name: 'Update number' }).click();
    await expect(toast(page, 'success')).toBeVisible();
    await expect(dialog).toBeHidden();
    await expect(textbox(page, 'Mobile')).toHaveValue(person.other);
  });

  test('can have another code after a minute', async ({ page }, info) => {
    await page.clock.install();
    await open(page, somebody(info), 'password');
    await button(page, 'Send code').click();
    await expect(page.getByRole('button', { name: /^Again in \d+ s$/ })).toBeDisabled();
    await page.clock.fastForward(60_000);
    await expect(button(page, 'Send code')).toBeEnabled();
    // This browser's minute is over, the server's is not: it says so.
    await button(page, 'Send code').click();
    await expect(page.getByRole('dialog', { name: 'Error' })).toContainText(/Too many requests. Try again in \d+ s/);
  });

  test('of somebody else cannot be bound', async ({ page }, info) => {
    const [person, owner] = [somebody(info), somebody(info)];
    await open(page, person);
    await button(page, 'Update').click();
    const dialog = dialogOf(page, 'Update the mobile number');
    await dialog.getByRole('textbox', { name: 'Mobile' }).fill(owner.mobile);
    await dialog.getByRole('button', { name: 'Send code' }).click();
    await dialog.getByRole('textbox', { name: 'Verification code' }).fill(await codeTo(owner.mobile));
    await dialog.getByRole('button', { name: 'Update number' }).click();
    await expect(toast(page, 'fail')).toBeVisible();
    await expect(dialog).toBeVisible();
    expect((await call(person, '/app-api/member/user/get')).data.mobile).toBe(person.mobile);
  });
});

test.describe('the password', () => {
  test('changes with a code, ends the other browser’s session and not this one', async ({ page, browser }, info) => {
    const person = somebody(info);
    const elsewhere: BrowserContext = await browser.newContext({ baseURL: site });
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
    const right = await codeTo(person.mobile);
    await textbox(page, 'Verification code').fill(wrong(right));
    await button(page, 'Change password').click();
    await expect(toast(page, 'Could not change the password')).toBeVisible();
    await expect(page.getByText('The verification code is wrong')).toBeVisible();
    await textbox(page, 'Verification code').fill(right);
    await button(page, 'Change password').click();
    await expect(toast(page, 'Password changed')).toBeVisible();

    // The other browser's live stream is told at once, whatever it is doing.
    await expect(other).toHaveURL(/\/signin/);
    await expect(other.getByText('You have been signed out')).toBeVisible();
    await page.reload();
    await expect(page).toHaveURL(/\/profile/);
    await expect(bar(page)).toContainText(person.nickname);
    await expect(openSession(person)).rejects.toThrow('601');
    expect((await openSession({ ...person, password })).accessToken).toBeTruthy();
    await elsewhere.close();
  });

  test('needs a number first, and leads to it', async ({ page }, info) => {
    await open(page, somebody(info, false), 'password');
    await expect(page.getByText('Bind a mobile number first')).toBeVisible();
    await button(page, 'Bind number').click();
    await expect(page.getByRole('dialog', { name: 'Bind a mobile number' })).toBeVisible();
  });
});

test.describe('my app', () => {
  const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });

  test('a key is made, its secret shown once and copied, closed, opened and deleted', async ({
    page,
    context,
  }, info) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site });
    const person = somebody(info);
    await open(page, person, 'app');
    await expect(page.getByRole('heading', { name: 'No keys yet' })).toBeVisible();
    await button(page, 'New key').click();
    const adding = page.getByRole('dialog', { name: 'New key' });
    await adding.getByRole('button', { name: 'Create key' }).click();
    await expect(adding.getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription('Please enter a name');
    await adding.getByRole('textbox', { name: 'Name' }).fill('Irrigation planner');
    const made = page.waitForResponse('**/apicredentials/create');
    await adding.getByRole('button', { name: 'Create key' }).click();
    const { data } = await (await made).json();
    await expect(toast(page, 'Created')).toBeVisible();

    const shown = page.getByRole('dialog', { name: 'Keep the secret now' });
    await expect(shown.getByText(data.appSecret, { exact: true })).toBeVisible();
    await shown.getByRole('button', { name: 'Copy the secret' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(data.appSecret);
    await shown.getByRole('button', { name: 'Copy the key' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(data.appKey);
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await shown.getByRole('button', { name: 'Close' }).click();
    await expect(shown.getByText('Tick this first: the secret is never shown again')).toBeVisible();
    await expect(shown.getByRole('button', { name: 'Done' })).toBeDisabled();
    await shown.getByRole('checkbox', { name: 'I have stored the secret' }).check();
    await shown.getByRole('button', { name: 'Done' }).click();
    await expect(shown).toBeHidden();
    await page.reload();
    await expect(row(page, 'Irrigation planner')).toContainText('Open');
    const everything = `${await page.content()}${await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))}`;
    expect(everything).toContain(data.appKey);
    expect(everything).not.toContain(data.appSecret);

    for (const [verb, confirm, state] of [
      ['Close', 'Close key', 'Closed'],
      ['Open', 'Open key', 'Open'],
    ] as const) {
      await button(page, `${verb}: Irrigation planner`).click();
      const asked = page.getByRole('dialog', { name: 'Change the state of “Irrigation planner”?' });
      await asked.getByRole('button', { name: confirm }).click();
      await expect(asked).toBeHidden();
      await expect(row(page, 'Irrigation planner').getByText(state, { exact: true }).first()).toBeVisible();
    }
    await button(page, 'Delete: Irrigation planner').click();
    const asked = page.getByRole('dialog', { name: 'Delete “Irrigation planner”?' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await expect(asked).toBeHidden();
    await expect(row(page, 'Irrigation planner')).toBeVisible();
    await button(page, 'Delete: Irrigation planner').click();
    await asked.getByRole('button', { name: 'Delete key' }).click();
    await expect(page.getByRole('heading', { name: 'No keys yet' })).toBeVisible();
    expect((await call(person, '/admin-api/client/pc/apicredentials/page?pageNo=1')).data.total).toBe(0);
  });

  test('many keys stand on pages, the newest first', async ({ page }, info) => {
    const person = somebody(info);
    for (let key = 1; key <= 11; key += 1) {
      expect((await call(person, '/admin-api/client/pc/apicredentials/create', { name: `Key ${key}` })).code).toBe(200);
    }
    await open(page, person, 'app');
    const names = page.getByRole('rowheader');
    await expect(names).toHaveCount(10);
    await expect(names.first()).toHaveText('Key 11');
    await expect(page.getByText('1–10 of 11')).toBeVisible();
    await page.getByRole('listitem', { name: '2' }).click();
    await expect(names).toHaveText(['Key 1']);
    await expect(page.getByText('11–11 of 11')).toBeVisible();
    // The last key of the last page: the page before is the last one then.
    await button(page, 'Delete: Key 1').click();
    await button(page, 'Delete key').click();
    await expect(names).toHaveCount(10);
    await expect(page.getByText('1–10 of 10')).toBeVisible();
    const size = page.getByRole('combobox', { name: 'Rows on a page' });
    expect(await size.getByRole('option').allTextContents()).toEqual(
      [10, 100, 200, 300, 400].map((n) => `${n} / page`),
    );
    await size.selectOption('100 / page');
    await expect(names).toHaveCount(10);
  });

  test('a key that cannot be made says why', async ({ page }, info) => {
    await open(page, somebody(info), 'app');
    await button(page, 'New key').click();
    const adding = page.getByRole('dialog', { name: 'New key' });
    await adding.getByRole('textbox', { name: 'Name' }).fill('Planner');
    await page.route('**/apicredentials/create', (route) =>
      route.fulfill({ json: { code: 601, data: null, msg: 'Enough keys for one person' } }),
    );
    await adding.getByRole('button', { name: 'Create key' }).click();
    await expect(adding.getByRole('alert')).toContainText('Enough keys for one person');
    await expect(adding.getByRole('textbox', { name: 'Name' })).toHaveValue('Planner');
  });
});

test.describe('the picture', () => {
  const red: Colour = [214, 40, 40];
  const blue: Colour = [40, 60, 214];
  const file = (buffer: Buffer, name = 'me.png', mimeType = 'image/png') => ({ name, mimeType, buffer });
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Profile picture' });

  async function openDialog(page: Page, info: TestInfo): Promise<void> {
    await open(page, somebody(info));
    await button(page, 'Change picture').click();
    await expect(dialogOf(page)).toBeVisible();
  }

  /** The colours of the picture in the bar, at its left and right quarter. */
  const coloursInBar = (page: Page) =>
    bar(page)
      .locator('img')
      .evaluateAll(async (images) => {
        const image = images.at(-1) as HTMLImageElement | undefined;
        if (!image) return [];
        await image.decode();
        const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
        const context = canvas.getContext('2d');
        context?.drawImage(image, 0, 0);
        return [0.25, 0.75].map((share) => {
          const [r = 0, , b = 0] =
            context?.getImageData(Math.floor(canvas.width * share), Math.floor(canvas.height / 2), 1, 1).data ?? [];
          return r > b ? 'red' : 'blue';
        });
      });

  test('is cropped as shown, sent, and stands in the bar at once', async ({ page }, info) => {
    await openDialog(page, info);
    const stripes = striped(300, [
      [450, red],
      [450, blue],
    ]);
    await page.locator('input[type="file"]').setInputFiles(file(stripes));
    const sent = page.waitForResponse('**/user/update-avatar');
    await button(page, 'Use this picture').click();
    expect(await (await sent).json()).toMatchObject({ code: 200 });
    await expect(toast(page, 'Picture changed')).toBeVisible();
    await expect.poll(() => coloursInBar(page)).toEqual(['red', 'blue']);

    // The picture is moved to the right by keys, so that its left part is what is kept.
    await button(page, 'Change picture').click();
    await page.locator('input[type="file"]').setInputFiles(file(stripes));
    const box = page.getByRole('group', { name: 'The part that is kept' });
    await box.focus();
    const before = await coloursInBar(page);
    for (let press = 0; press < 6; press += 1) await page.keyboard.press('Shift+ArrowLeft');
    await button(page, 'Use this picture').click();
    await expect(dialogOf(page)).toBeHidden();
    await expect.poll(() => coloursInBar(page)).not.toEqual(before);
    const [left, right] = await coloursInBar(page);
    expect(left).toBe(right);
    await page.reload();
    await expect.poll(() => coloursInBar(page)).toEqual([left, right]);
  });

  test('is moved by mouse and zoomed', async ({ page }, info) => {
    await openDialog(page, info);
    await page.locator('input[type="file"]').setInputFiles(
      file(
        striped(300, [
          [450, red],
          [450, blue],
        ]),
      ),
    );
    const box = await page.getByRole('group', { name: 'The part that is kept' }).locator('canvas').boundingBox();
    if (!box) throw new Error('nothing to crop');
    const zoom = page.getByRole('slider', { name: 'Zoom' });
    await zoom.fill('50');
    // The hand pulls the picture to the right: what stood at its left comes in.
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 5, box.y + box.height / 2, { steps: 8 });
    await page.mouse.up();
    await button(page, 'Use this picture').click();
    await expect.poll(() => coloursInBar(page)).toEqual(['red', 'red']);
  });

  test('of another kind, too large or damaged is refused before it is sent', async ({ page }, info) => {
    await openDialog(page, info);
    let sent = 0;
    page.on('request', (request) => {
      if (request.url().includes('update-avatar')) sent += 1;
    });
    const input = page.locator('input[type="file"]');
    const alert = dialogOf(page).getByRole('alert');
    await input.setInputFiles(file(Buffer.from('GIF89a, by its first bytes'), 'me.png'));
    await expect(alert).toContainText('Only JPEG, PNG and WebP pictures can be used');
    const small = striped(4, [[4, red]]);
    await input.setInputFiles(file(Buffer.concat([small, Buffer.alloc(6 * 1024 * 1024)])));
    await expect(alert).toContainText('The file has 6.1 MB, and 5 MB is the most');
    await input.setInputFiles(file(small.subarray(0, 24)));
    await expect(alert).toContainText('This picture cannot be read, the file may be damaged');
    await expectAccessible(page);
    expect(sent).toBe(0);
  });
});

for (const darkMode of [false, true]) {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    test(`everybody can use it, ${darkMode ? 'dark' : 'light'} at ${width} px`, async ({ page }, info) => {
      test.setTimeout(120_000);
      await page.setViewportSize({ width, height });
      await page.addInitScript((dark) => {
        localStorage.setItem('tilth.preferences', JSON.stringify({ state: { darkMode: dark }, version: 0 }));
      }, darkMode);
      const fine = async () => {
        await expect(page.locator('html')).toHaveAttribute('data-theme', darkMode ? 'dark' : 'light');
        await expectNoSideways(page);
        await expectAccessible(page);
      };
      const dialog = page.getByRole('dialog');
      const closed = async () => {
        await page.keyboard.press('Escape');
        await expect(dialog).toBeHidden();
      };
      const person = somebody(info);
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
