import type { Locator, Page } from '@playwright/test';
import { labUser, sendLongNumbers } from './chartTenant.ts';
import { publish } from './device.ts';
import { expectNoHorizontalScroll } from './pages.ts';
import { runRule } from './rule.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type TestUser } from './testUsers.ts';

// Names, numbers and sentences are shown whole if there is room for them, in the language with the
// longest texts.

const secret = 'e2e-lw-east-3b8d50f17ac2e649';
const person: TestUser = { tenantName: 'longwall', userName: 'vera', password: 'names-as-long-as-a-wall' };
/** The names of the tenant's devices: long, as with many devices. */
const names = {
  'LW-EAST': 'Climate of the long greenhouse, east bay',
  'LW-WEST': 'Climate of the long greenhouse, west bay',
  'LW-ROAD': 'Теплица у дороги, верхний ярус',
};

test.beforeAll(async () => {
  await sendLongNumbers();
  await applyYaml(
    JSON.stringify({
      tenants: [
        {
          name: person.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [{ userName: person.userName, password: person.password, nickname: 'Vera' }],
          scenes: ['Behind the packing yard'],
          devices: Object.entries(names).map(([deviceName, noteName]) => ({
            deviceName,
            serial: `L-${deviceName}`,
            noteName,
            product: 'greenhouse-climate',
            scene: 'Behind the packing yard',
            ...(deviceName === 'LW-EAST' ? { secret } : {}),
          })),
        },
      ],
    }),
  );
  await runRule(person, 'LW-EAST', 'Frost behind the yard');
  await publish('LW-EAST', secret, { airTemperature: 1 });
});

const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

async function open(page: Page, who: TestUser, path: string, language: string, size: typeof wide): Promise<void> {
  await page.setViewportSize(size);
  await page.addInitScript((code) => localStorage.setItem('tilth.language', code), language);
  await openSignedIn(page, who, path);
}

/** The whole text is visible: nothing is cut off, in either direction. */
async function expectNotCut(words: Locator): Promise<void> {
  await expect(words).toBeVisible();
  const beyond = await words.evaluate((element) => ({
    right: element.scrollWidth - element.clientWidth,
    below: element.scrollHeight - element.clientHeight,
  }));
  expect(Math.max(beyond.right, beyond.below), (await words.textContent()) ?? '').toBeLessThanOrEqual(1);
}

for (const language of ['en-us', 'ru-ru']) {
  for (const size of [wide, phone]) {
    test(`devices of the equipment page show their whole names, in ${language} at ${size.width}`, async ({ page }) => {
      await open(page, person, '/device', language, size);
      for (const [deviceName, name] of Object.entries(names)) {
        const device = page.locator(`[data-device="${deviceName}"]`);
        const words = size === phone ? device.getByText(name, { exact: true }) : device;
        await expectNotCut(words);
        // The cell cuts a name in the table that has one line.
        await expectNotCut(words.locator('..'));
      }
      await expectNoHorizontalScroll(page);
    });

    test(`a reading with long numbers and units stays in its panel, in ${language} at ${size.width}`, async ({
      page,
    }) => {
      await open(page, labUser, '/dashboard-default?device=PL-0001', language, size);
      const panel = page.getByRole('region', { name: language === 'en-us' ? 'Readings' : 'Показания' });
      const main = panel.getByText(/^120[,\s]000/);
      await expectNotCut(main);
      const edge = await panel.boundingBox();
      const rows = panel.getByRole('listitem');
      await expect(rows).toHaveCount(3);
      for (const row of await rows.all()) {
        for (const part of await row.locator('> span').all()) {
          const box = await part.boundingBox();
          expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((edge?.x ?? 0) + (edge?.width ?? 0));
        }
      }
      // A name beside a long unit has room for one word.
      await expectNotCut(panel.getByText(language === 'en-us' ? 'Trace gas flux' : 'Поток следового газа'));
    });
  }

  test(`a message on a phone is readable without opening it, in ${language}`, async ({ page }) => {
    await open(page, person, '/message', language, phone);
    await expectNotCut(page.locator('[data-message] div:has(> p)').first());
  });

  test(`the figures of a history do not break words, in ${language}`, async ({ page }) => {
    await open(page, labUser, '/data?device=PL-0001&history=1', language, wide);
    await expect(page.locator('[data-drawn=true]')).toBeVisible({ timeout: 60_000 });
    const name = language === 'en-us' ? 'Illuminance' : 'Освещённость';
    const header = page.getByRole('table').getByText(name).first();
    const { height } = (await header.boundingBox()) ?? { height: 0 };
    expect(height).toBeGreaterThan(0);
    expect(height).toBeLessThan(20);
    await expectNotCut(header);
  });
}

test('readings of a notice are side by side, not below each other', async ({ page }) => {
  await open(page, labUser, '/inform', 'en-us', wide);
  await page
    .getByRole('link', { name: /Long numbers/ })
    .first()
    .click();
  const facts = page.getByRole('region', { name: 'Notice', exact: true });
  const first = facts.getByText('Illuminance', { exact: true }).first();
  const second = facts.getByText('Water head', { exact: true }).first();
  await expect(second).toBeVisible();
  const [one, other] = [await first.boundingBox(), await second.boundingBox()];
  expect(one?.y).toBe(other?.y);
});
