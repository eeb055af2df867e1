import { type At, phonesOnly, type Visit } from './layoutChecks.ts';
import type { Farm } from './layoutData.ts';
import { press } from './layoutSteps.ts';
import { names } from './layoutTenant.ts';

// The home page, what surrounds every page, and the messages.

const pressEscape = ({ page }: At) => page.keyboard.press('Escape');
/** Its name counts the messages: it stands between the search and the settings. */
const bell = ({ page }: At) => page.getByRole('banner').locator('[aria-haspopup=dialog]').nth(1).click();

/** Values and times end within the panel. */
async function withinReadings({ page, say }: At): Promise<string[]> {
  const panel = page.getByRole('region', { name: say('home.readings.title'), exact: true });
  return panel.evaluate((element) => {
    const edge = element.getBoundingClientRect().right;
    const rows = element.querySelectorAll('li');
    const parts = [...element.querySelectorAll('li > span')];
    const beyond = parts.filter((part) => part.getBoundingClientRect().right > edge);
    return [
      ...(rows.length === 3 ? [] : [`${rows.length} rows instead of 3`]),
      ...beyond.map((part) => `${part.textContent} leaves its panel`),
    ];
  });
}

/** Two chips stand beside a name or below it, not over it, and are whole. */
async function chipsOfName({ page }: At): Promise<string[]> {
  return page.getByRole('heading', { name: names['LA-SOIL'], exact: true }).evaluate((heading) => {
    const name = heading.getBoundingClientRect();
    const chips = [...(heading.parentElement?.querySelectorAll(':scope > span > *') ?? [])];
    const faults = chips.length === 2 ? [] : [`${chips.length} chips instead of 2`];
    for (const chip of chips) {
      const box = chip.getBoundingClientRect();
      if (box.left < name.right && box.top < name.bottom) faults.push(`${chip.textContent} is over the name`);
      if (chip.scrollWidth - chip.clientWidth > 1) faults.push(`${chip.textContent} is cut`);
    }
    return faults;
  });
}

export const homeVisits = ({ message, overview }: Farm): Visit[] => [
  { name: 'home', path: '/dashboard-default' },
  {
    name: 'home of a farm with many alarms and messages',
    path: '/dashboard-default',
    answers: {
      'home/overview-statistics': { ...overview, pendingAlarmCount: 1234 },
      'notify-message/get-unread-count': 1234,
    },
  },
  {
    name: 'long numbers on home',
    path: '/dashboard-default?device=LA-BENCH',
    // A name beside a long unit has room for one word.
    whole: ({ page, say }) =>
      page
        .getByRole('region', { name: say('home.readings.title'), exact: true })
        .getByText(/^120\D?000|^(Trace gas flux|痕量气体通量|İz gaz akısı|Поток следового газа)$/),
    fits: withinReadings,
  },
  {
    name: 'a name beside two chips on home',
    path: '/dashboard-default?device=LA-SOIL',
    whole: ({ page }) => page.getByRole('heading', { name: names['LA-SOIL'], exact: true }),
    fits: chipsOfName,
  },
  { name: 'a mast on home', path: '/dashboard-default?device=LA-MAST&on=airTemperature' },
  { name: 'a device that is gone on home', path: '/dashboard-default?device=gone' },
  {
    name: 'search among the devices of home',
    path: '/dashboard-default',
    open: async (at) => {
      await press(at, at.say('home.list.search'));
      await at.page.getByPlaceholder(at.say('home.search.placeholder')).fill('тер');
      await at.page.getByRole('treeitem').first().waitFor();
    },
  },
  {
    name: 'search among the devices of home, without a find',
    path: '/dashboard-default',
    open: async (at) => {
      await press(at, at.say('home.list.search'));
      await at.page.getByPlaceholder(at.say('home.search.placeholder')).fill('无');
      await at.page.getByText(at.say('home.search.noneTitle', { text: '无' })).waitFor();
    },
  },
  {
    name: 'an acknowledgement from home',
    path: '/dashboard-default',
    open: (at) => press(at, at.say('home.attention.ackOf', { title: 'Длинные числа', name: names['LA-BENCH'] })),
  },
  {
    name: 'the search',
    path: '/message',
    close: pressEscape,
    open: async ({ page, say }) => {
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: say('search.title'), exact: true });
      await field.fill('тер');
      await page
        .getByRole('option', { name: /террас/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'the search, without a find',
    path: '/message',
    close: pressEscape,
    open: async ({ page, say }) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: say('search.title'), exact: true }).fill('无');
      await page.getByText(say('search.none', { text: '无' })).waitFor();
    },
  },
  {
    name: 'settings',
    path: '/message',
    open: (at) => press(at, at.say('settings.title')),
    close: pressEscape,
  },
  {
    name: 'the menu of a phone',
    path: '/dashboard-default',
    only: phonesOnly,
    open: (at) => press(at, at.say('nav.more')),
    close: pressEscape,
  },
  { name: 'the bell', path: '/message', open: bell, close: pressEscape },
  {
    name: 'messages',
    path: '/message',
    whole: ({ page, phone }) => page.locator(phone ? '[data-message] div:has(> p)' : '[data-message]').first(),
  },
  {
    name: 'a group of messages',
    path: '/message',
    open: async ({ page, say }) => {
      const list = page.getByRole('main').getByRole('list', { name: say('message.all'), exact: true });
      await list.getByRole('button', { name: '霜一', exact: true }).click();
      const whole = list.getByRole('button', { name: /霜一/ }).and(page.locator('[aria-controls]'));
      if (await whole.nth(1).isVisible()) await whole.nth(1).click();
    },
  },
  { name: 'a message', path: `/message?id=${message}` },
];
