import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, type Page, test } from '@playwright/test';
import mqtt from 'mqtt';
import { publish } from './device.ts';
import { expectAccessible, expectNoSideways } from './pages.ts';
import { enter } from './people.ts';
import { addresses, applyText } from './server.ts';

// The device page, on a farm of its own. What a test changes is its own: a scene, or a device with a name that says what it is for.

const person = { tenantName: 'terraces', userName: 'nazli', password: 'stone-walls-and-vines' };

const terraces = Array.from({ length: 12 }, (_, i) => String(i + 1).padStart(2, '0'));
const secretOf = (deviceName: string) => `e2e-${deviceName.toLowerCase()}-7c01f5b2e94da836`;
const mast = (deviceName: string, noteName: string, more = {}) => ({
  deviceName,
  serial: `N-${deviceName}`,
  noteName,
  product: 'weather-mast',
  secret: secretOf(deviceName),
  ...more,
});

test.beforeAll(() => {
  applyText(
    JSON.stringify({
      tenants: [
        {
          name: person.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [{ userName: person.userName, password: person.password, nickname: 'Nazlı' }],
          scenes: ['Lower slope'],
          devices: [
            ...terraces.map((number) => mast(`TE-${number}`, `Terrace ${number}`)),
            mast('NA-FIG', 'İncir bahçesi'),
            mast('NA-LIGHT', 'Işık ölçer'),
            mast('NA-NORTH', 'Северный склон'),
            mast('MO-MAST', 'Moving mast', { longitude: 27.3412, latitude: 37.8571 }),
            mast('SC-MAST', 'Mast of a scene', { scene: 'Lower slope' }),
            mast('SE-MAST', 'Mast with a secret'),
            mast('RE-MAST', 'Mast that errs'),
            mast('PH-MAST', 'Mast on a phone', { longitude: 27.3421, latitude: 37.8561 }),
            mast('GH-HOUSE', 'Glass house', { product: 'greenhouse-climate', scene: 'Lower slope' }),
          ],
        },
      ],
    }),
  );
});

const open = (page: Page, search = '') => enter(page, person, `/device${search}`);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const table = (page: Page) => page.getByRole('table', { name: 'Devices' });
const row = (page: Page, deviceName: string) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name: deviceName, exact: true }) });
/** The first column of the table. */
const notes = (page: Page) => table(page).getByRole('rowheader');
const sheet = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
/** What the app says in passing. */
const toast = (page: Page, text: string) => page.locator('p').getByText(text, { exact: true });

test('a scene is made, filled, renamed and deleted; its devices go to the default group', async ({ page }) => {
  await open(page, '?q=Mast+of');
  const scenes = page.getByRole('region', { name: 'Scenes' });
  await expect(row(page, 'SC-MAST')).toContainText('Lower slope');

  await button(page, 'New scene').click();
  await button(page, 'Create scene').click();
  const form = sheet(page, 'New scene');
  await expect(form.getByText('Please enter a scene name')).toBeVisible();
  await expect(form.getByText('Please select the scene state')).toBeVisible();
  await form.getByRole('textbox').fill('Upper slope');
  await form.getByRole('radio', { name: 'Usable' }).check();
  await button(page, 'Create scene').click();
  await expect(toast(page, 'Scene added')).toBeVisible();
  await expect(scenes.getByRole('button', { name: 'Upper slope 0 devices' })).toHaveAttribute('aria-current', 'true');

  await scenes.getByRole('button', { name: /^All devices/ }).click();
  await row(page, 'SC-MAST').getByRole('link', { name: /^Edit/ }).click();
  await page.getByRole('combobox', { name: 'Scene' }).selectOption('Upper slope');
  await button(page, 'Save').click();
  await expect(toast(page, 'Device saved')).toBeVisible();
  await expect(row(page, 'SC-MAST')).toContainText('Upper slope');

  const named = scenes.getByRole('listitem').filter({ hasText: 'Upper slope' });
  await named.hover();
  await button(page, 'Edit scene: Upper slope').click();
  await sheet(page, 'Edit scene').getByRole('textbox').fill('Üst yamaç');
  await page.keyboard.press('Enter');
  await expect(toast(page, 'Scene saved')).toBeVisible();
  await expect(row(page, 'SC-MAST')).toContainText('Üst yamaç');
  await scenes.getByRole('button', { name: 'Üst yamaç 1 device' }).click();
  await expect(notes(page)).toHaveText(['Mast of a scene']);

  const question = sheet(page, 'Are you sure to delete the current scene?');
  await button(page, 'Delete scene: Üst yamaç').click();
  await expect(question).toContainText('Its 1 device moves to the default group and keeps its readings.');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(toast(page, 'Undelete')).toBeVisible();
  await expect(question).toBeHidden();
  await expect(button(page, 'Delete scene: Üst yamaç')).toBeFocused();
  await page.keyboard.press('Enter');
  await question.getByRole('button', { name: 'Delete scene' }).click();
  await expect(toast(page, 'Successfully delete')).toBeVisible();
  await expect(scenes.getByRole('button', { name: /Üst yamaç/ })).toHaveCount(0);
  await expect(row(page, 'SC-MAST')).toContainText('Default group');
  await expect(page).not.toHaveURL(/scene=/);
});

test('names are found in any case, Turkish and Cyrillic ones too', async ({ page }) => {
  await open(page);
  const search = textbox(page, 'Search devices');
  for (const [typed, found] of [
    ['incir', 'İncir bahçesi'],
    ['İNCİR', 'İncir bahçesi'],
    ['IŞIK', 'Işık ölçer'],
    ['ışık', 'Işık ölçer'],
    ['северный', 'Северный склон'],
    ['СКЛОН', 'Северный склон'],
    ['na-fig', 'İncir bahçesi'],
    ['n-na-light', 'Işık ölçer'],
  ] as const) {
    await search.fill(typed);
    await expect(notes(page)).toHaveText([found]);
  }
  await expect(page).toHaveURL(/q=n-na-light/);
  await page.reload();
  await expect(notes(page)).toHaveText(['Işık ölçer']);
  await search.fill('nobody');
  await expect(page.getByText('No device matches')).toBeVisible();
  await button(page, 'Clear search and filters').click();
  await expect(notes(page)).toHaveCount(10);
});

test('the table is filtered, sorted and turned, and the address keeps it', async ({ page }) => {
  await publish('TE-03', secretOf('TE-03'), { airTemperature: 12.4 });
  await open(page, '?q=terrace');
  await expect(page.getByText('1–10 of 12')).toBeVisible();
  await page.getByRole('radio', { name: 'Online' }).check({ force: true });
  await expect(notes(page)).toHaveText(['Terrace 03']);
  await page.getByRole('radio', { name: 'All' }).check({ force: true });
  await expect(notes(page)).toHaveCount(10);

  const head = table(page).getByRole('columnheader', { name: 'Device name' });
  await head.getByRole('button').click();
  await expect(head).toHaveAttribute('aria-sort', 'ascending');
  await expect(notes(page).first()).toHaveText('Terrace 01');
  await head.getByRole('button').click();
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  await expect(notes(page).first()).toHaveText('Terrace 12');
  await page.getByRole('listitem', { name: '2' }).click();
  await expect(notes(page)).toHaveText(['Terrace 02', 'Terrace 01']);
  await page.reload();
  await expect(notes(page)).toHaveText(['Terrace 02', 'Terrace 01']);
  await page.getByRole('listitem', { name: '1' }).click();
  await expect(notes(page).first()).toHaveText('Terrace 12');

  await page.getByRole('combobox', { name: 'Rows on a page' }).selectOption('100 / page');
  await expect(notes(page)).toHaveCount(12);
  await textbox(page, 'Search devices').fill('');
  await page.getByRole('combobox', { name: 'Model' }).selectOption('greenhouse-climate');
  await expect(notes(page)).toHaveText(['Glass house']);
});

test('a device is edited, its pin moved by mouse and by keys, and the home map shows it there', async ({ page }) => {
  await open(page, '?q=MO-MAST');
  await row(page, 'MO-MAST').getByRole('link', { name: /^Edit/ }).click();
  const form = sheet(page, 'Edit Moving mast');
  const [latitude, longitude] = [textbox(page, 'Latitude'), textbox(page, 'Longitude')];
  await expect(textbox(page, 'Device name')).toHaveAttribute('readonly', '');

  const note = textbox(page, 'Remark name');
  await note.fill('');
  await latitude.fill('95');
  await longitude.fill('');
  await button(page, 'Save').click();
  await expect(form.getByText('Please fill in the remark name')).toBeVisible();
  await expect(form.getByText('A number from −90 to 90')).toBeVisible();
  await expect(note).toBeFocused();
  await note.fill('Mast that moved');
  await latitude.fill('37.8571');
  await expect(form.getByText('Both or neither')).toHaveCount(1);
  await longitude.fill('27.3412');
  await longitude.blur();

  const pin = form.getByRole('button', { name: /^Pin at/ });
  const box = await pin.boundingBox();
  if (!box) throw new Error('the pin is not drawn');
  // Where a hand takes it: above its point, which is the middle of its picture.
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2 - 20];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y - 25, { steps: 4 });
  await page.mouse.up();
  await expect.poll(async () => Number(await longitude.inputValue())).toBeGreaterThan(27.3412);
  expect(Number(await latitude.inputValue())).toBeGreaterThan(37.8571);

  const dragged = Number(await longitude.inputValue());
  await pin.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect.poll(async () => Number(await longitude.inputValue())).toBeGreaterThan(dragged);
  const [north, east] = [Number(await latitude.inputValue()), Number(await longitude.inputValue())];
  await button(page, 'Save').click();
  await expect(toast(page, 'Device saved')).toBeVisible();
  await expect(notes(page)).toHaveText(['Mast that moved']);

  await page.getByRole('navigation').getByRole('link', { name: 'Home page' }).click();
  const marker = page.getByRole('button', { name: /Mast that moved/ });
  await expect(marker).toBeVisible();
  await marker.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(`${north.toFixed(4)}° N, ${east.toFixed(4)}° E`)).toBeVisible();
});

test('changes that were not saved are not lost by a way out', async ({ page }) => {
  await open(page, '?q=TE-05');
  await row(page, 'TE-05').getByRole('link', { name: /^Edit/ }).click();
  await textbox(page, 'Remark name').fill('Never saved');
  await page.getByRole('navigation').getByRole('link', { name: 'Profile' }).click();
  await button(page, 'Keep editing').click();
  await expect(textbox(page, 'Remark name')).toHaveValue('Never saved');
  await page.goBack();
  await button(page, 'Discard changes').click();
  await expect(sheet(page, 'Edit Terrace 05')).toBeHidden();
});

test('a new secret ends the old one, and the lines to copy send with it', async ({ page }) => {
  const old = secretOf('SE-MAST');
  await publish('SE-MAST', old, { airTemperature: 5.5 });
  await open(page, '?device=SE-MAST');
  const device = sheet(page, 'Mast with a secret');
  const connection = device.getByRole('region', { name: 'Connection' });
  await expect(connection.getByText('1 secret is valid.')).toBeVisible();
  await connection.getByRole('button', { name: 'New secret' }).click();
  const question = sheet(page, 'Make a new secret?');
  await question.getByRole('checkbox').check();
  await expect(question).toContainText('Whatever uses them loses its connection now');
  await question.getByRole('button', { name: 'Make secret' }).click();

  const shown = sheet(page, 'Keep the secret now');
  const secret = (await shown.getByRole('code').textContent()) ?? '';
  expect(secret.length).toBeGreaterThanOrEqual(20);
  await page.keyboard.press('Escape');
  await expect(shown.getByRole('button', { name: 'Done' })).toBeDisabled();
  await shown.getByRole('checkbox', { name: 'I have stored the secret' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(shown).toBeHidden();
  expect(await page.content()).not.toContain(secret);
  await expect(connection.getByText('1 secret is valid.')).toBeVisible();

  const signIn = mqtt.connectAsync(`mqtt://${addresses.mqtt}`, {
    username: 'SE-MAST',
    password: old,
    reconnectPeriod: 0,
  });
  await expect(signIn).rejects.toThrow(/not authorized|bad user name/i);

  const commands = await connection.getByRole('listitem').getByRole('code').allTextContents();
  const way = (word: string) => commands.find((command) => command.startsWith(word)) ?? '';
  // What the device sent last stands in the line: the reading says whose it is.
  const viaMqtt = way('mosquitto_pub').replace('SECRET', secret).replace('5.5', '6.25');
  await run(viaMqtt);
  await expect(device.getByRole('listitem').filter({ hasText: 'Air temperature' })).toContainText('6.3');
  const viaHttp = way('curl').replace('SECRET', secret).replace('5.5', '7.75');
  expect(await run(viaHttp)).toMatch(/^HTTP\/1.1 200/);
  await expect(device.getByRole('listitem').filter({ hasText: 'Air temperature' })).toContainText('7.8');
  expect(await run(way('curl').replace('SECRET', old))).toMatch(/^HTTP\/1.1 401/);
});

/** As a person does who pastes it. */
async function run(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { encoding: 'utf8' });
  return stdout;
}

test('what was refused is shown with its reason, and when the device was online', async ({ page }) => {
  await publish('RE-MAST', secretOf('RE-MAST'), { airTemperature: 999, airHumidity: 60 });
  await open(page, '?device=RE-MAST');
  const device = sheet(page, 'Mast that errs');
  await expect(device.getByText(/^1 value refused, the last/)).toBeVisible();
  await expect(device.getByText(/airTemperature.*The good values of the same message were kept/)).toBeVisible();
  await expect(device.getByRole('region', { name: 'Readings', exact: true })).toContainText('60');
  await expect(device.getByRole('region', { name: 'When it was online' }).getByRole('listitem')).toHaveText(
    /^Online.*until now$/,
  );
  const intake = device.getByRole('region', { name: 'What arrived and what was refused' });
  await intake.getByText('By day, of the last 31').click();
  await expect(intake.getByRole('row').nth(1)).toHaveText(/^\d{4}-\d\d-\d\d111$/);
  await expect(device.getByRole('slider', { name: 'Days with readings' })).toHaveAttribute(
    'aria-valuetext',
    /1 measurements?/,
  );
});

test('axe finds nothing serious on the page, a sheet and a form', async ({ page }) => {
  await open(page, '?device=TE-01');
  await expect(sheet(page, 'Terrace 01').getByText('Lines to copy')).toBeVisible();
  await expectAccessible(page);
  await button(page, 'Edit').click();
  await expect(sheet(page, 'Edit Terrace 01')).toBeVisible();
  await expectAccessible(page);
});

test('axe finds nothing serious in dark colours and in a dialog', async ({ page }) => {
  await open(page, '?device=TE-02');
  await button(page, 'Settings').click();
  await page.getByRole('switch', { name: 'Dark mode' }).click();
  await page.keyboard.press('Escape');
  await expect(button(page, 'Quit')).toBeHidden();
  await expect(sheet(page, 'Terrace 02').getByText('Lines to copy')).toBeVisible();
  await expectAccessible(page);
  await sheet(page, 'Terrace 02').getByRole('button', { name: 'Close' }).click();
  await button(page, 'New scene').click();
  await expect(sheet(page, 'New scene')).toBeVisible();
  await expectAccessible(page);
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('scenes are a field, devices are cards, and the form fits', async ({ page }) => {
    await open(page);
    await page.getByRole('button', { name: /^Choose a scene/ }).tap();
    await sheet(page, 'Scenes')
      .getByRole('button', { name: /^Default group/ })
      .tap();
    await expect(page.getByRole('button', { name: /^Choose a scene: Default group/ })).toBeVisible();
    await textbox(page, 'Search devices').fill('on a phone');
    await expectNoSideways(page);
    const card = page.getByRole('list', { name: 'Devices' }).getByRole('link');
    await expect(card).toHaveCount(1);
    await expectAccessible(page);
    await card.tap();
    await expect(sheet(page, 'Mast on a phone').getByText('Lines to copy')).toBeVisible();
    await expectNoSideways(page);
    await expectAccessible(page);
    await button(page, 'Edit').tap();
    const form = sheet(page, 'Edit Mast on a phone');
    await expect(form.getByRole('button', { name: /^Pin at/ })).toBeVisible();
    await expectNoSideways(page);
    await expectAccessible(page);
    await textbox(page, 'Remark name').fill('Mast saved on a phone');
    await button(page, 'Save').tap();
    await expect(toast(page, 'Device saved')).toBeVisible();
    await expect(sheet(page, 'Mast saved on a phone')).toBeVisible();
  });
});
