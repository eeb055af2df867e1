import { unreadableTexts } from './chartTexts.ts';
import { type At, atLast, phonesOnly, type Visit } from './layoutChecks.ts';
import { like, press } from './layoutSteps.ts';
import { names, soil } from './layoutTenant.ts';

// The data centre, the history of a device, and the analysis of several.

/** Long numbers as each language writes them: of the first, second and third attribute. */
export const longNumbers = {
  pseudo: ['150,000', '−60,000', '0.00015'],
  'en-us': ['150,000', '−60,000', '0.00015'],
  'zh-cn': ['150,000', '−60,000', '0.00015'],
  'tr-tr': ['150.000', '−60.000', '0,00015'],
  'ru-ru': ['150\u00a0000', '−60\u00a0000', '0,00015'],
};

const probeCard = ({ page }: At) => page.getByRole('article', { name: names['LA-SOIL'] });

/** All rows of the probe's card are there, each with a name of its own, and none leaves the card. */
async function probeRows(at: At): Promise<string[]> {
  return probeCard(at).evaluate((card) => {
    const rows = [...card.querySelectorAll('li')].map((row) => row.querySelector('[title]')?.textContent);
    return [
      ...(rows.length === 5 ? [] : [`${rows.length} rows of the probe instead of 5`]),
      ...(new Set(rows).size === rows.length ? [] : [`rows of the probe are named the same: ${rows}`]),
      ...(card.scrollHeight > card.clientHeight ? ['the readings of the probe leave their card'] : []),
    ];
  });
}

const historyDrawn = (at: At) => at.page.locator('[data-drawn=true]').waitFor();

/** The names above the figures are in one line. */
async function figureHeads({ page }: At): Promise<string[]> {
  const heads = await page.getByRole('table').first().locator('th[scope=row], thead th').all();
  const faults = heads.length === 0 ? ['no figures are there'] : [];
  for (const head of heads) {
    const height = await head.evaluate((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      return text.getBoundingClientRect().height;
    });
    if (height > 24) faults.push(`the head ${await head.textContent()} has several lines`);
  }
  return faults;
}

async function depthsOfAttributes({ page }: At): Promise<string[]> {
  const labels = page.getByRole('dialog').getByRole('checkbox').locator('xpath=ancestor::li');
  const texts = await labels.allTextContents();
  return new Set(texts).size === soil.length && texts.length === soil.length ? [] : [`attributes: ${texts}`];
}

export const readingVisits: Visit[] = [
  {
    name: 'readings as cards',
    path: '/data',
    // Only cards in view are drawn.
    open: async (at) => {
      await at.page.getByRole('article').first().waitFor();
      await at.page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    },
  },
  {
    name: 'the card of a probe',
    path: '/data?devices=LA-SOIL',
    whole: (at) => {
      const card = probeCard(at);
      const title = card.getByTitle(names['LA-SOIL'], { exact: true }).locator('> *').first();
      // The large reading above the rows, and the names of the rows with their parts.
      const main = card.locator('p > span[title] > span').first();
      return title.or(main).or(card.locator('li [class*="_label_"] > [title], li [class*="_label_"] > [title] span'));
    },
    fits: probeRows,
  },
  { name: 'a camera that is down', path: '/data?devices=LA-EYE' },
  { name: 'readings as a table', path: '/data?view=table' },
  { name: 'readings as one ordered table', path: '/data?view=table&flat=1&sort=airTemperature' },
  { name: 'no readings to show', path: '/data?devices=gone&view=cards' },
  {
    name: 'devices to compare',
    path: '/data?view=cards',
    open: async ({ page, say }) => {
      await page.getByRole('article').first().waitFor();
      const boxes = page.getByRole('checkbox', { name: like(say('data.compare.choose', { name: '#' })) });
      for (const box of [boxes.nth(0), boxes.nth(1)]) await box.check();
      await page.getByRole('region', { name: say('data.compare.bar'), exact: true }).waitFor();
    },
    close: (at) => press(at, at.say('data.compare.clear')),
  },
  {
    name: 'the choice of devices on a phone',
    path: '/data',
    only: phonesOnly,
    open: ({ page }) => page.locator('main [aria-haspopup=dialog]').first().click(),
  },
  {
    name: 'a history with long numbers',
    path: '/data?device=LA-BENCH&history=1',
    open: historyDrawn,
    fits: async (at) => [
      ...(await atLast(() => unreadableTexts(at.page, longNumbers[at.language]))),
      ...(at.phone ? [] : await figureHeads(at)),
    ],
  },
  {
    name: 'the attributes of a history',
    path: '/data?device=LA-SOIL&history=1',
    open: async (at) => {
      if (at.phone) await press(at, like(at.say('history.chooseAttributes', { selected: '#', all: '#' })));
      await at.page.getByRole('checkbox').first().waitFor();
    },
    whole: ({ page }) => page.locator('[role=dialog] li').getByText(/(10|20|30|60)/),
    fits: depthsOfAttributes,
  },
  {
    name: 'a history as a table',
    path: '/data?device=LA-LOW&history=1',
    open: async ({ page, say }) => {
      await page
        .getByRole('radiogroup', { name: say('history.view') })
        .getByText(say('history.table'))
        .click();
      await page.getByRole('region', { name: say('history.table') }).waitFor();
    },
  },
  {
    name: 'a corrected reading in a history',
    path: '/data?device=LA-LOW&history=1',
    open: async (at) => {
      await historyDrawn(at);
      await at.page.getByRole('slider', { name: at.say('history.crosshair') }).press('End');
      await at.page
        .getByText(like(at.say('calibration.raw.value', { value: '#' })))
        .first()
        .waitFor();
    },
  },
  {
    name: 'a history as the sensor showed it, with the question whether to close it',
    path: '/data?device=LA-LOW&history=1',
    open: async (at) => {
      await historyDrawn(at);
      await at.page.getByRole('switch', { name: at.say('calibration.raw.switch') }).click();
      await at.page
        .getByRole('dialog')
        .getByRole('button', { name: at.say('common.close'), exact: true })
        .click();
      await at.page.getByText(at.say('history.closeConfirm')).waitFor();
    },
  },
];
