import { seriousFindings } from './axeFindings.ts';
import { brokenWords, coveredIcons, cutLetters } from './cutLetters.ts';
import { addingVisits } from './layoutAdding.ts';
import { alarmVisits, noticeVisits } from './layoutAlarms.ts';
import { analysisVisits } from './layoutAnalysis.ts';
import type { Lane, Screen, Visit } from './layoutChecks.ts';
import { type Farm, makeFarm } from './layoutData.ts';
import { deviceVisits } from './layoutDevices.ts';
import { guestVisits, viewerVisits } from './layoutGuests.ts';
import { homeVisits } from './layoutHome.ts';
import { profileVisits } from './layoutProfile.ts';
import { readingVisits } from './layoutReadings.ts';
import { Sweep } from './layoutSweep.ts';
import { owner, viewer } from './layoutTenant.ts';
import { expect, test } from './test.ts';
import { setOwnAddress, type TestUser } from './testUsers.ts';
import { cutTexts, words } from './visibleTexts.ts';

// Every page and dialog in several languages, widths and themes: nothing is wider than the screen, no text is cut
// off, axe finds nothing serious, and in a language whose texts are a third longer than English and have no plain
// letters nothing is untranslated. Only the demo pages' answers, and no other server's, are shown.

type Part = readonly [TestUser | undefined, (farm: Farm) => readonly Visit[]];

/** Tests of about the same length. */
const parts: Record<string, readonly Part[]> = {
  'home, messages and the analysis': [
    [owner, homeVisits],
    [owner, () => analysisVisits],
  ],
  'readings and histories, and what a viewer sees': [
    [owner, () => readingVisits],
    [viewer, viewerVisits],
  ],
  'devices and scenes': [[owner, () => [...deviceVisits, ...addingVisits]]],
  'alarm rules, channels, notices and the activity': [
    [owner, alarmVisits],
    [owner, noticeVisits],
  ],
  'the profile': [[owner, ({ user }) => profileVisits(user)]],
  'the pages before signing in': [[undefined, guestVisits]],
};

const widths = [1440, 1024, 390] as const;

/** On a large screen columns are shown that are hidden elsewhere, and take the room of names. */
const withLarge = [1920, ...widths] as const;

const lane = (
  language: Lane['language'],
  look: (width: Screen['width']) => Omit<Screen, 'width'>,
  of: readonly Screen['width'][] = widths,
): Lane => ({ language, screens: of.map((width) => ({ width, ...look(width) })) });

/** Of every day: the longest words. axe looks at each visit wide or narrow. */
const daily: Lane[] = [
  {
    language: 'pseudo',
    screens: [
      { width: 1440, dark: false, axe: 'even' },
      { width: 390, dark: false, axe: 'odd' },
    ],
  },
];

/**
 * The rest, with TILTH_LAYOUTS=rest: axe looks at every visit in both themes. A dialog with room for the longest
 * words and for Russian has room for the other languages, of which pages are looked at without their dialogs.
 */
const rest: Lane[][] = [
  [lane('pseudo', () => ({ dark: true, axe: 'all' }))],
  [lane('pseudo', (width) => ({ dark: false, axe: width === 390 ? 'even' : 'odd' }))],
  [lane('ru-ru', (width) => ({ dark: width === 390, axe: 'none', atRest: width === 1920 }), withLarge)],
  (['zh-cn', 'en-us', 'tr-tr'] as const).map((language, place) => {
    const look = (width: Screen['width']) => {
      const asked = width === widths[place];
      return { dark: !asked, axe: asked ? 'all' : 'none', atRest: true } as const;
    };
    return lane(language, look, language === 'tr-tr' ? withLarge : widths);
  }),
];

test.describe.configure({ mode: 'parallel' });
// A trace would keep every page of a sweep.
test.use({ trace: 'off' });

for (const [title, visits] of Object.entries(parts)) {
  for (const lanes of process.env.TILTH_LAYOUTS === 'rest' ? rest : [daily]) {
    const of = lanes.map(({ language, screens }) => `${language} ${screens[0]?.dark ? 'dark' : 'light'}`).join(', ');
    test(`${title} have room and are accessible: ${of}`, async ({ page, context }) => {
      test.setTimeout(600_000);
      await setOwnAddress(context);
      const farm = await makeFarm();
      const sweep = new Sweep(page, farm);
      await sweep.begin();
      for (const lane of lanes) {
        for (const [person, visitsOf] of visits) await sweep.run(visitsOf(farm), lane, person);
      }
      expect(sweep.faults).toEqual([]);
    });
  }
}

test('the scans find a hard-coded text, one that is cut off, and a field without a label', async ({ page }) => {
  await page.goto('/signin');
  await expect(page.getByRole('main')).toBeVisible();
  const before = await page.evaluate(cutTexts);
  expect(await seriousFindings(page)).toEqual([]);
  await page.evaluate(() => {
    const box = document.createElement('p');
    box.textContent = 'Hard-coded and cut off';
    box.title = '';
    box.style.cssText = 'width: 40px; overflow: hidden; white-space: nowrap';
    document.body.append(box, document.createElement('input'));
  });
  expect(await page.evaluate(words)).toContain('Hard-coded and cut off');
  expect((await page.evaluate(cutTexts)).length).toBe(before.length + 1);
  expect(await seriousFindings(page)).toEqual([expect.stringMatching(/^axe label: <input>/)]);
});

test('the scans find letters without their lower edge, a broken word, and an icon below a number', async ({ page }) => {
  await page.goto('/signin');
  await expect(page.getByRole('main')).toBeVisible();
  const scans = () => Promise.all([cutLetters, brokenWords, coveredIcons].map((scan) => page.evaluate(scan)));
  expect(await scans()).toEqual([[], [], []]);
  await page.evaluate(() => {
    const add = (html: string) => document.body.insertAdjacentHTML('beforeend', html);
    const line = (style: string, text: string) => `<p style="font-size: 13px; overflow: hidden; ${style}">${text}</p>`;
    add(line('line-height: 13px', 'Battery voltage'));
    add(line('line-height: 18px', 'Battery voltage'));
    // The third line is hidden whole: it is no cut letter.
    add(line('line-height: 18px; height: 36px; width: 60px', 'Battery voltage at night'));
    add(line('width: 60px; line-height: 18px; overflow-wrap: anywhere', 'in the Greenhouse'));
    const badge = (left: number) => `<span style="position: absolute; left: ${left}px; top: 0">99+</span>`;
    const button = (left: number) =>
      `<button type="button" style="position: relative"><svg width="20" height="20"></svg>${badge(left)}</button>`;
    add(button(4));
    add(button(40));
  });
  expect(await scans()).toEqual([
    [expect.stringMatching(/^p\. "Battery voltage" by/)],
    [expect.stringMatching(/^p\. "Greenhouse" of "in the Greenhouse"/)],
    [expect.stringMatching(/^"99\+" hides/)],
  ]);
});
