import { collisions } from './chartTexts.ts';
import { type At, atLast, phonesOnly, type Visit } from './layoutChecks.ts';
import { dialogOf, press } from './layoutSteps.ts';

// The analysis of two terraces, with a limit, an alarm and soil by depth.

const both = 'devices=LA-HIGH,LA-LOW&signs=airTemperature,layoutMoisture10,layoutMoisture30';

const isDrawn = ({ page }: At) => page.locator('[data-chart] svg [data-line]').first().waitFor({ state: 'attached' });

/** The texts of the picture stay in it, and none stands on another; the limit of a rule is among them. */
async function readableTexts({ page }: At): Promise<string[]> {
  const { frame, words } = await page
    .locator('[data-chart] svg')
    .first()
    .evaluate((svg) => {
      const { left: edge, right: end } = svg.getBoundingClientRect();
      const words = [...svg.querySelectorAll('text')].map((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        return { text: text.textContent, left, right, top, bottom };
      });
      return { frame: { left: edge, right: end }, words };
    });
  const limit = (await page.getByText(/^> 27[.,]0/).count()) > 0 ? [] : ['the limit is not in the chart'];
  return [...limit, ...collisions(frame, words, 6)];
}

/** Where the system forces its colours, lines are seen on its ground, and devices differ as they do without. */
async function forcedColours({ page }: At): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' });
  const lines = page.locator('[data-line] path');
  const strokes = await lines.evaluateAll((paths) => paths.map((path) => getComputedStyle(path).stroke));
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ forcedColors: 'none' });
  return [
    ...(strokes.length > 3 ? [] : [`${strokes.length} lines are drawn`]),
    ...(strokes.includes(ground) ? [`with forced colours a line has the ground’s colour ${ground}`] : []),
    ...(new Set(strokes).size === 2 ? [] : [`with forced colours lines have the colours ${[...new Set(strokes)]}`]),
  ];
}

export const analysisVisits: Visit[] = [
  { name: 'the start of the analysis', path: '/analysis' },
  {
    name: 'the analysis of two devices',
    path: `/analysis?${both}`,
    open: isDrawn,
    fits: async (at) => [...(await atLast(() => readableTexts(at))), ...(await forcedColours(at))],
  },
  {
    name: 'a place in the analysis',
    path: `/analysis?${both}`,
    open: async (at) => {
      await isDrawn(at);
      await at.page.getByRole('slider', { name: at.say('analysis.chart') }).focus();
      await at.page.keyboard.press('ArrowRight');
      await at.page.locator('[data-values]').waitFor();
    },
  },
  { name: 'the analysis with the year before', path: `/analysis?${both}&compare=date`, open: isDrawn },
  { name: 'the analysis by degree days', path: '/analysis?devices=LA-HIGH&compare=degreeDays' },
  { name: 'the analysis as a table', path: `/analysis?${both}&view=table` },
  { name: 'the analysis of no attribute', path: '/analysis?devices=LA-HIGH&signs=' },
  {
    name: 'more choices of the analysis',
    path: `/analysis?${both}`,
    only: phonesOnly,
    open: async (at) => {
      await isDrawn(at);
      await at.page.getByText(at.say('analysis.more'), { exact: true }).click();
    },
  },
  {
    name: 'the devices of the analysis',
    path: '/analysis?devices=LA-HIGH',
    open: async (at) => {
      await press(at, at.say('analysis.devices.add'));
      await dialogOf(at, at.say('analysis.devices.choose')).getByRole('treeitem').first().waitFor();
    },
  },
  {
    name: 'the views of the analysis',
    path: '/analysis?devices=LA-HIGH',
    anew: true,
    open: async (at) => {
      await at.page.getByRole('button', { name: at.say('analysis.views.views') }).click();
      await at.page.getByText('Корни на террасах').waitFor();
    },
  },
  {
    name: 'a new view of the analysis',
    path: '/analysis?devices=LA-HIGH',
    open: async (at) => {
      await at.page.getByRole('button', { name: at.say('analysis.views.views') }).click();
      await press(at, at.say('analysis.views.saveThis'));
      await dialogOf(at, at.say('analysis.views.saveTitle')).getByRole('textbox').fill('Корни на террасах');
      await press(at, at.say('common.save'));
    },
  },
  {
    name: 'the export of the analysis',
    path: `/analysis?${both}`,
    open: async (at) => {
      await isDrawn(at);
      await at.page.getByRole('button', { name: at.say('analysis.export.export') }).click();
      await at.page.getByRole('menuitem').first().waitFor();
    },
  },
];
