import { seriousFindings } from './axeFindings.ts';
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

type Look = [width: Screen['width'], theme: 'light' | 'dark', axe: Screen['axe']];

const lane = (language: Lane['language'], looks: Look[], atRest = false): Lane => ({
  language,
  screens: looks.map(([width, theme, axe]) => ({ width, dark: theme === 'dark', axe, atRest })),
});

/** Of every day: the longest words. axe looks at each visit wide or narrow. */
const daily: Lane[][] = [
  [
    lane('pseudo', [
      [1440, 'light', 'even'],
      [390, 'light', 'odd'],
    ]),
  ],
];

/**
 * The rest, with TILTH_LAYOUTS=rest. A dialog with room for the longest words and for Russian has room for other
 * languages; colours are the same in all.
 */
const rest: Lane[][] = [
  [
    lane('pseudo', [
      [1440, 'dark', 'all'],
      [1024, 'dark', 'all'],
      [390, 'dark', 'all'],
    ]),
  ],
  [
    lane('ru-ru', [
      [1440, 'light', 'none'],
      [1024, 'light', 'none'],
      [390, 'dark', 'none'],
    ]),
  ],
  [
    lane(
      'zh-cn',
      [
        [1440, 'dark', 'even'],
        [1024, 'light', 'none'],
        [390, 'light', 'odd'],
      ],
      true,
    ),
    lane(
      'en-us',
      [
        [1440, 'light', 'odd'],
        [1024, 'dark', 'none'],
        [390, 'dark', 'even'],
      ],
      true,
    ),
    lane(
      'tr-tr',
      [
        [1440, 'dark', 'none'],
        [1024, 'light', 'all'],
        [390, 'light', 'none'],
      ],
      true,
    ),
  ],
];

test.describe.configure({ mode: 'parallel' });
// A trace would keep every page of a sweep.
test.use({ trace: 'off' });

for (const [title, visits] of Object.entries(parts)) {
  for (const lanes of process.env.TILTH_LAYOUTS === 'rest' ? rest : daily) {
    const languages = lanes.map(({ language }) => language).join(', ');
    test(`${title} have room and are accessible: ${languages}`, async ({ page, context }) => {
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
