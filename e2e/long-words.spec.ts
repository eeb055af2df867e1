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
const soilSecret = 'e2e-lw-soil-0c95e2d8f47b1a63';
const person: TestUser = { tenantName: 'longwall', userName: 'vera', password: 'names-as-long-as-a-wall' };
/** The names of the tenant's devices: long, as with many devices. */
const names = {
  'LW-EAST': 'Climate of the long greenhouse, east bay',
  'LW-WEST': 'Climate of the long greenhouse, west bay',
  'LW-ROAD': 'Теплица у дороги, верхний ярус',
};

/** A soil probe's elements in each language: four depths of two quantities. */
const depths = [10, 20, 30, 60];
const soil = depths.flatMap((depth) => [
  {
    yeuSign: `longwallTemperature${depth}`,
    unit: '°C',
    yeuName: {
      'en-us': `Soil temperature (${depth} cm)`,
      'zh-cn': `土壤温度（${depth}厘米）`,
      'tr-tr': `Toprak sıcaklığı (${depth} cm)`,
      'ru-ru': `Температура почвы (${depth} см)`,
    },
  },
  {
    yeuSign: `longwallMoisture${depth}`,
    unit: '%',
    yeuName: {
      'en-us': `Soil moisture (vol., ${depth} cm)`,
      'zh-cn': `土壤体积含水量（${depth}厘米）`,
      'tr-tr': `Toprak nemi (hacim, ${depth} cm)`,
      'ru-ru': `Объёмная влажность почвы (${depth} см)`,
    },
  },
]);

test.beforeAll(async () => {
  await sendLongNumbers();
  await applyYaml(
    JSON.stringify({
      elements: soil,
      products: [
        {
          name: 'longwall-probe',
          offlineAfter: '4s',
          properties: soil.map(({ yeuSign, unit, yeuName }) => ({
            identifier: yeuSign,
            functionName: yeuName['en-us'],
            elementUnit: unit,
            dataType: 'number',
            precision: 1,
          })),
        },
      ],
      tenants: [
        {
          name: person.tenantName,
          timeZone: 'Europe/Istanbul',
          language: 'en-us',
          users: [{ userName: person.userName, password: person.password, nickname: 'Vera' }],
          scenes: ['Behind the packing yard', 'North orchard'],
          devices: [
            ...Object.entries(names).map(([deviceName, noteName]) => ({
              deviceName,
              serial: `L-${deviceName}`,
              noteName,
              product: 'greenhouse-climate',
              scene: 'Behind the packing yard',
              ...(deviceName === 'LW-EAST' ? { secret } : {}),
            })),
            {
              deviceName: 'LW-SOIL',
              serial: 'L-LW-SOIL',
              noteName: probe,
              product: 'longwall-probe',
              secret: soilSecret,
              scene: 'North orchard',
            },
          ],
        },
      ],
    }),
  );
  await runRule(person, 'LW-EAST', 'Frost behind the yard');
  await publish('LW-EAST', secret, { airTemperature: 1 });
  await runRule(person, 'LW-SOIL', 'Dry soil in the row', {
    alarmLevel: 1,
    conditions: [{ andor: 'and', tslAttribute: 'longwallMoisture30', subconditions: '<', value: 18 }],
  });
  await publish('LW-SOIL', soilSecret, Object.fromEntries(soil.map(({ yeuSign }) => [yeuSign, 17.9])));
});

/** A probe with an open alarm that is offline soon: two chips stand beside its name. */
const probe = 'Row 44 by the river';

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

for (const language of ['en-us', 'tr-tr', 'ru-ru', 'zh-cn'] as const) {
  for (const size of [wide, { width: 1024, height: 768 }, phone]) {
    test(`a soil probe's card names its readings whole, in ${language} at ${size.width}`, async ({ page }) => {
      await open(page, person, '/data', language, size);
      const card = page.getByRole('article', { name: probe });
      // Only cards in view are drawn.
      await expect(page.getByRole('article').first()).toBeVisible();
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await expectNotCut(card.getByTitle(probe, { exact: true }).locator('> *').first());
      const rows = card.getByRole('listitem');
      await expect(rows).toHaveCount(5);
      const height = await card.evaluate((element) => element.scrollHeight - element.clientHeight);
      expect(height).toBeLessThanOrEqual(0);
      const texts: string[] = [];
      for (const row of await rows.all()) {
        const name = row.locator('[title]').first();
        for (const part of [name, ...(await name.locator('span').all())]) await expectNotCut(part);
        texts.push((await name.textContent()) ?? '');
      }
      expect(new Set(texts).size).toBe(5);
      // The name of the reading that stands large above the rows.
      await expectNotCut(card.locator('p > span[title] > span').first());
      await expectNoHorizontalScroll(page);
    });
  }

  test(`a name beside two chips is whole on the home page, in ${language}`, async ({ page }) => {
    await open(page, person, '/dashboard-default?device=LW-SOIL', language, wide);
    const heading = page.getByRole('heading', { name: probe, exact: true });
    await expectNotCut(heading);
    const chips = heading.locator('xpath=following-sibling::span[1]/*');
    await expect(chips).toHaveCount(2);
    const name = await heading.boundingBox();
    for (const chip of await chips.all()) {
      await expectNotCut(chip);
      const box = await chip.boundingBox();
      const beside = (box?.x ?? 0) >= (name?.x ?? 0) + (name?.width ?? 0);
      const below = (box?.y ?? 0) >= (name?.y ?? 0) + (name?.height ?? 0);
      expect(beside || below).toBe(true);
    }
  });

  test(`the attributes of a history show their depths, in ${language}`, async ({ page }) => {
    await open(page, person, '/data?device=LW-SOIL&history=1', language, wide);
    const labels = page.getByRole('dialog').getByRole('checkbox').locator('xpath=ancestor::li');
    await expect(labels).toHaveCount(soil.length);
    for (const label of await labels.all()) {
      const name = label.getByText(/(10|20|30|60)/).first();
      await expectNotCut(name);
    }
    expect(new Set(await labels.allTextContents()).size).toBe(soil.length);
  });

  test(`the table of devices shows scenes whole, in ${language}`, async ({ page }) => {
    await open(page, person, '/device', language, wide);
    await expectNotCut(page.getByRole('cell', { name: 'North orchard', exact: true }));
  });
}
