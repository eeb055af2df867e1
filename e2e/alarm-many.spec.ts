import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { expectLive } from './pages.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { fetchApiData, openSignedIn, type TestUser } from './testUsers.ts';

// A rule for many devices: created in a few clicks, rehearsed on each, shown on its card, and kept
// up to date when devices move.

const grower: TestUser = { tenantName: 'ridge', userName: 'ines', password: 'four-masts-on-a-ridge' };
const secretOf = (n: number) => `e2e-ridge-${n}-7f1c9d42b8e05a63`;
const day = 24 * 3_600_000;
/** The minimum temperature of each mast's frost nights; the second mast has two. */
const nightMinima = [[0.8], [0.4, 1.1], [3.2], [1.6]];

test.beforeAll(async () => {
  const masts = nightMinima.map(
    (_, i) =>
      `      - {deviceName: RG-0${i + 1}, serial: R-${i + 1}, noteName: Ridge mast ${i + 1}, product: weather-mast, secret: ${secretOf(i + 1)}, scene: Ridge}`,
  );
  await applyYaml(`
tenants:
  - name: ridge
    hosts: [ridge.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: ines, password: ${grower.password}, nickname: Ines}]
    scenes: [Ridge, Valley]
    devices:
${masts.join('\n')}
      - {deviceName: RG-09, serial: R-9, noteName: Valley climate, product: greenhouse-climate, scene: Valley}
`);
  const now = Date.now();
  for (const [i, lows] of nightMinima.entries()) {
    const frames = lows.flatMap((low, n) =>
      [6, low, low, 6].map((airTemperature, k) => ({
        ts: now - (3 + n) * day + k * 600_000,
        values: { airTemperature, airHumidity: 90 },
      })),
    );
    await publish(`RG-0${i + 1}`, secretOf(i + 1), frames);
  }
});

const form = (page: Page) => page.getByRole('dialog', { name: 'New rule' });
const card = (page: Page, name: string) => page.getByRole('article', { name });

/** Counts the user's pointer actions. Typing, and Tab to the next field, do not count. */
function countClicks() {
  let clicks = 0;
  return {
    click: async (on: Locator) => {
      clicks++;
      await on.click();
    },
    /** Opens a list and chooses an option. */
    choose: async (on: Locator, option: string) => {
      clicks += 2;
      await on.focus();
      await on.selectOption(option);
    },
    clicks: () => clicks,
  };
}

test('creating a frost rule on four masts that e-mails two people at night takes twelve clicks', async ({ page }) => {
  await openSignedIn(page, grower, '/alarm');
  await expectLive(page);
  const { click, choose, clicks } = countClicks();
  await click(page.getByRole('button', { name: 'New rule' }).first());
  const dialog = form(page);
  await expect(dialog.getByLabel(/^Alarm name/)).toBeFocused();
  await page.keyboard.type('Frost on the ridge');
  await click(dialog.getByLabel(/^Device source/));
  await page.keyboard.type('ridge mast');
  await click(page.getByText('All 4 devices that match “ridge mast”'));
  await expect(dialog.getByText('4 devices.')).toBeVisible();
  await click(dialog.getByRole('radio', { name: 'Serious' }));
  await click(dialog.getByRole('radio', { name: 'Supported', exact: true }));
  await choose(dialog.getByLabel('Attribute of condition 1'), 'Air temperature');
  await expect(dialog.getByRole('radio', { name: 'Attribute change' })).toBeChecked();
  await page.keyboard.press('Tab');
  await page.keyboard.type('is below');
  await expect(dialog.getByLabel('Comparison of condition 1')).toHaveValue('<');
  await page.keyboard.press('Tab');
  await page.keyboard.type('2');
  await click(dialog.getByRole('button', { name: /^Night/ }));
  await click(dialog.getByRole('button', { name: 'New channel' }));
  const channel = page.getByRole('dialog', { name: 'New channel' });
  await expect(channel.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Night crew');
  await click(channel.getByRole('checkbox', { name: 'Email' }));
  await expect(channel.getByRole('textbox', { name: 'Address 1' })).toBeFocused();
  await page.keyboard.type('ines@ridge.example,');
  await expect(channel.getByRole('textbox', { name: 'Address 2' })).toBeFocused();
  await page.keyboard.type('paulo@ridge.example');
  await click(channel.getByRole('button', { name: 'Save' }));
  await expect(channel).toBeHidden();

  // Each mast has its own row, the worst first.
  await expect(
    dialog.getByRole('paragraph').filter({ hasText: /^This rule would have alarmed 4 times$/ }),
  ).toBeVisible();
  const table = dialog.getByRole('region', { name: 'On each device' }).getByRole('table');
  await expect(table.getByRole('rowheader')).toHaveText([
    /^Ridge mast 2/,
    /^Ridge mast (1|4)/,
    /^Ridge mast (1|4)/,
    /^Ridge mast 3/,
  ]);
  await click(dialog.getByRole('button', { name: 'Run although nobody is told' }));
  await expect(dialog).toBeHidden();
  expect(clicks()).toBeLessThanOrEqual(12);

  const own = card(page, 'Frost on the ridge');
  await expect(own.getByText('Running')).toBeVisible();
  await expect(own.getByText('4 devices', { exact: true })).toBeVisible();
  const { list } = await fetchApiData(grower, 'GET', '/admin-api/client/pc/alarm-rules/page?pageNo=1&pageSize=10');
  const [rule] = list;
  expect(rule).toMatchObject({ deviceCount: 4, deployState: 1, alarmLevel: 2, manualRelease: 1 });
  expect(rule.targets.devices).toEqual(['RG-01', 'RG-02', 'RG-03', 'RG-04']);
  const channels = await fetchApiData(grower, 'GET', '/admin-api/client/pc/notice-channel/page?pageNo=1&pageSize=10');
  expect(channels.list[0]).toMatchObject({
    id: rule.passageway[0],
    email: { emails: ['ines@ridge.example', 'paulo@ridge.example'] },
  });

  // One of the four masts alarms: the card counts it.
  await publish('RG-03', secretOf(3), { airTemperature: 0.5, airHumidity: 90 });
  await expect(own.getByText('4 devices, 1 open')).toBeVisible();
});

test('a rule for a scene is made on a phone, and shows the devices left out', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSignedIn(page, grower, '/alarm');
  await page.getByRole('button', { name: 'New rule' }).first().click();
  const dialog = form(page);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog.getByText('The alarm name cannot be empty')).toBeVisible();
  // The errors make the form longer. Only its content scrolls: a finger on the buttons would
  // otherwise push the cross off the screen.
  const over = await page.evaluate(() =>
    [...document.querySelectorAll('.ant-modal-wrap')].map((wrap) => wrap.scrollHeight - wrap.clientHeight),
  );
  expect(over).toEqual([0]);
  await dialog.getByLabel(/^Alarm name/).fill('Wet leaves');
  await dialog.getByLabel(/^Device source/).click();
  await page.getByTitle('Scene: Ridge').click();
  await page.getByTitle('Scene: Valley').click();
  await page.keyboard.press('Tab');
  await expect(dialog.getByText(/^5 devices\. Those that come to these scenes or models later join/)).toBeVisible();
  await dialog.getByRole('radio', { name: 'Important' }).check();
  await dialog.getByRole('radio', { name: 'Not supported' }).check();
  await dialog.getByLabel('Attribute of condition 1').selectOption('Relative humidity (4 of 5)');
  await dialog.getByLabel('Value of condition 1', { exact: true }).fill('95');
  await expect(
    dialog.getByText(/^5 devices\. 1 of them does not measure Relative humidity and is left out\. Those/),
  ).toBeVisible();

  // Escape closes only the channel's form, and returns the focus; its draft is kept.
  const opener = dialog.getByRole('button', { name: 'New channel' });
  const channel = page.getByRole('dialog', { name: 'New channel' });
  const name = channel.getByRole('textbox', { name: 'Name' });
  await opener.click();
  await expect(name).toBeFocused();
  await name.fill('Ridge nights');
  await page.keyboard.press('Escape');
  await expect(channel).toBeHidden();
  await expect(opener).toBeFocused();
  await expect(dialog.getByLabel(/^Alarm name/)).toHaveValue('Wet leaves');
  await opener.click();
  await channel.getByRole('button', { name: 'Restore' }).click();
  await expect(name).toHaveValue('Ridge nights');
  await channel.getByRole('checkbox', { name: 'Email' }).check();
  await channel.getByRole('textbox', { name: 'Address 1' }).fill('ines@ridge.example');
  await channel.getByRole('button', { name: 'Save' }).click();
  await expect(channel).toBeHidden();
  await expect(dialog.getByTitle('Ridge nights')).toBeVisible();
  await expect(dialog.getByLabel('Tell')).toBeFocused();

  await dialog.getByRole('button', { name: 'Run although nobody is told' }).click();
  await expect(dialog).toBeHidden();
  await expect(card(page, 'Wet leaves').getByText('Ridge nights')).toBeVisible();
  await card(page, 'Wet leaves').getByRole('button', { name: '4 devices · 1 left out' }).click();
  const devices = page.getByRole('dialog', { name: 'Devices of “Wet leaves”' });
  await expect(devices.getByRole('listitem')).toHaveCount(5);
  await expect(devices.getByText('Left out: lacks an attribute of the conditions')).toBeVisible();
});
