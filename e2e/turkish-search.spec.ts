import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { runRule } from './rule.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// Every search field finds Turkish names however their letters are typed, in a console whose
// language is not Turkish.

const person: TestUser = { tenantName: 'izlek', userName: 'isil', password: 'light-on-the-path' };
const secret = 'e2e-iz-light-63b0f1d7a94ce258';
const path = '/admin-api/client/pc';

/** What is typed, and the word that it finds. */
const searches = [
  ['IŞIK', 'Işık'],
  ['ışık', 'Işık'],
  ['istanbul', 'İstanbul'],
  ['İSTANBUL', 'İstanbul'],
  ['ISTANBUL', 'İstanbul'],
  ['ÇİĞ', 'çiğ'],
  ['çiğ', 'çiğ'],
] as const;
const words = ['Işık', 'İstanbul', 'çiğ'] as const;

const element = (yeuSign: string, name: string) =>
  `{yeuSign: ${yeuSign}, unit: "", yeuName: {en-us: ${name}, zh-cn: ${name}, tr-tr: ${name}, ru-ru: ${name}}}`;
const signs = words.map((word, index) => [`izlek${index}`, `${word} ölçüsü`] as const);

test.beforeAll(async () => {
  await applyYaml(`
elements:
  - ${signs.map(([sign, name]) => element(sign, name)).join('\n  - ')}
products:
  - name: izlek-mast
    properties:
      - {identifier: airTemperature, functionName: Air temperature, elementUnit: "°C", dataType: number, precision: 1}
      - ${signs.map(([sign, name]) => `{identifier: ${sign}, functionName: ${name}, dataType: number, precision: 1}`).join('\n      - ')}
      - ${[1, 2, 3, 4].map((n) => `{identifier: other${n}, functionName: Other ${n}, dataType: number, precision: 1}`).join('\n      - ')}
tenants:
  - name: ${person.tenantName}
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: ${person.userName}, password: ${person.password}, nickname: Işıl}]
    scenes: [${words.map((word) => `${word} bahçesi`).join(', ')}]
    devices:
      - {deviceName: IZ-LIGHT, serial: I-1, noteName: Işık direği, product: izlek-mast, secret: ${secret}}
      - {deviceName: IZ-CITY, serial: I-2, noteName: İstanbul direği, product: izlek-mast}
      - {deviceName: IZ-DEW, serial: I-3, noteName: Sabah çiği, product: izlek-mast}
`);
  for (const word of words) {
    await fetchApiData(person, 'POST', `${path}/notice-channel/create`, {
      noticeName: `${word} nöbeti`,
      noticeMode: ['email'],
      email: { emails: ['isil@example.com'] },
    });
    await runRule(person, 'IZ-LIGHT', `${word} uyarısı`);
  }
  await publish('IZ-LIGHT', secret, {
    airTemperature: 1,
    ...Object.fromEntries(signs.map(([sign]) => [sign, 1])),
    other1: 1,
    other2: 1,
    other3: 1,
    other4: 1,
  });
});

/** Each search leaves the one thing with its word. */
async function expectFinds(field: Locator, found: Locator): Promise<void> {
  for (const [typed, word] of searches) {
    await field.fill(typed);
    await expect(found, `“${typed}” finds what is called ${word}`).toHaveCount(1);
    await expect(found).toContainText(word);
  }
}

const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const treeDevices = (page: Page) => page.getByRole('treeitem').filter({ hasText: /direği|çiği/ });

test('the search over everything finds devices, scenes, rules and alarms', async ({ page }) => {
  await openSignedIn(page, person, '/device');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Search', exact: true });
  for (const [group, found] of [
    ['Devices', /direği|çiği/],
    ['Scenes', /bahçesi/],
    ['Alarm rules', /uyarısı/],
  ] as const) {
    await expectFinds(
      dialog.getByRole('combobox'),
      dialog.getByRole('group', { name: group }).getByRole('option').filter({ hasText: found }),
    );
  }
});

test('the home page’s list of devices', async ({ page }) => {
  await openSignedIn(page, person, '/dashboard-default');
  await page.getByRole('button', { name: 'Search devices' }).click();
  await expectFinds(textbox(page, 'Search devices'), treeDevices(page));
});

test('the data center’s cards and their list', async ({ page }) => {
  await openSignedIn(page, person, '/data');
  await expectFinds(textbox(page, 'Search devices'), treeDevices(page));
  await expectFinds(textbox(page, 'Search devices'), page.getByRole('article'));
});

test('the equipment center’s table and its scenes', async ({ page }) => {
  await openSignedIn(page, person, '/device');
  await expectFinds(
    textbox(page, 'Search devices'),
    page.getByRole('table', { name: 'Devices' }).getByRole('rowheader'),
  );
  await expectFinds(
    textbox(page, 'Scene name'),
    page.getByRole('region', { name: 'Scenes' }).getByRole('listitem').filter({ hasText: 'bahçesi' }),
  );
});

test('the alarm center’s rules, and the devices beside them', async ({ page }) => {
  await openSignedIn(page, person, '/alarm');
  await expectFinds(textbox(page, 'Search devices'), treeDevices(page));
  await expectFinds(textbox(page, 'Search alarm rules'), page.getByRole('article'));
});

test('the targets and channels of a rule', async ({ page }) => {
  await openSignedIn(page, person, '/alarm?rule=new');
  const form = page.getByRole('dialog', { name: 'New rule' });
  const options = page.locator('.ant-select-dropdown:visible .ant-select-item-option-content');
  const targets = form.getByLabel(/^Device source/);
  await targets.click();
  await expectFinds(targets, options.filter({ hasText: 'bahçesi' }));
  await expectFinds(targets, options.filter({ hasText: /direği|çiği/ }));
  await page.keyboard.press('Escape');
  const channels = form.getByLabel('Tell', { exact: true });
  await channels.click();
  await expectFinds(channels, options.filter({ hasText: 'nöbeti' }));
});

test('notices, and the devices beside them', async ({ page }) => {
  await openSignedIn(page, person, '/inform');
  await expectFinds(textbox(page, 'Search devices'), treeDevices(page));
  await expectFinds(
    textbox(page, 'Search titles'),
    page.getByRole('list', { name: 'Alarm notices' }).getByRole('link'),
  );
});

test('channels', async ({ page }) => {
  await openSignedIn(page, person, '/notification');
  await expectFinds(
    textbox(page, 'Search channels'),
    page.getByRole('main').getByRole('row').filter({ hasText: 'nöbeti' }),
  );
});

test('the activity', async ({ page }) => {
  await openSignedIn(page, person, '/profile/activity?kind=channel');
  await expectFinds(
    textbox(page, 'Search activity'),
    page.getByRole('main').getByRole('link', { name: /Created notification channel/ }),
  );
});

test('the attributes and compared devices of a history', async ({ page }) => {
  await openSignedIn(page, person, '/data?device=IZ-LIGHT&history=1');
  const dialog = page.getByRole('dialog', { name: /^History of/ });
  await expectFinds(
    textbox(page, 'Find'),
    dialog.getByRole('checkbox', { name: /ölçüsü/ }).locator('xpath=ancestor::li'),
  );
  const compare = dialog.getByRole('combobox', { name: 'Compare' });
  await compare.click();
  const options = page.locator('.ant-select-dropdown:visible .ant-select-item-option-content');
  for (const [typed, word] of searches.filter(([, each]) => each !== 'Işık')) {
    await compare.fill(typed);
    await expect(options, typed).toHaveText([new RegExp(word)]);
  }
});

test('the devices and attributes of the analysis', async ({ page }) => {
  await openSignedIn(page, person, '/analysis?devices=IZ-LIGHT');
  const signsField = page.getByLabel('Attributes', { exact: true });
  await signsField.click();
  const options = page.locator('.ant-select-dropdown:visible .ant-select-item-option-content');
  await expectFinds(signsField, options);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add devices' }).click();
  await expectFinds(textbox(page, 'Search devices'), treeDevices(page));
});
