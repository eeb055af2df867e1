import { unreadableTexts } from './chartTexts.ts';
import { type At, atLast, desktopsOnly, phonesOnly, type Visit } from './layoutChecks.ts';
import type { Farm } from './layoutData.ts';
import { longNumbers } from './layoutReadings.ts';
import { dialogOf, like, press } from './layoutSteps.ts';

// Alarm rules, notification channels, notices and the activity.

const usedChannel = 'Ночная смена у теплиц';
const ruleForm = (at: At) => dialogOf(at, at.say('rule.new'));

/** The labels of the levels stay in their group, whole, and not over each other. */
async function levelsFit(at: At): Promise<string[]> {
  const faults = await ruleForm(at)
    .getByRole('radiogroup', { name: at.say('rule.form.level') })
    .evaluate((group) => {
      const edge = group.getBoundingClientRect().right;
      const labels = [...group.querySelectorAll('label')];
      const boxes = labels.map((label) => label.getBoundingClientRect());
      const beyond = labels.filter(
        (label) => label.getBoundingClientRect().right > edge || label.scrollWidth > label.clientWidth,
      );
      const over = boxes.flatMap((one, i) =>
        boxes
          .slice(i + 1)
          .filter((other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1)
          .filter((other) => Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1),
      );
      return [
        ...(labels.length === 3 ? [] : [`${labels.length} levels instead of 3`]),
        ...beyond.map(({ textContent }) => `the level ${textContent} is cut off`),
        ...(over.length > 0 ? ['levels are over each other'] : []),
      ];
    });
  const attribute = await at.page.getByLabel(at.say('rule.form.attribute', { n: 1 })).boundingBox();
  if (at.width === 1024 && (attribute?.width ?? 0) <= 240) faults.push('the attribute of a condition is narrow');
  return faults;
}

const more = (name: string, key: string) => async (at: At) => {
  await press(at, at.say('rule.card.more', { name }));
  await at.page.getByRole('menuitem', { name: at.say(key), exact: true }).click();
};

/** What a finger meets in the dialog is high enough for it. */
const highEnough = async ({ page, phone }: At): Promise<string[]> =>
  phone
    ? page
        .getByRole('dialog')
        .evaluate((dialog) =>
          [...dialog.querySelectorAll('button')]
            .filter((button) => button.checkVisibility() && button.getBoundingClientRect().height < 44)
            .map((button) => `${button.textContent || button.ariaLabel} is lower than 44 px`),
        )
    : [];

export const alarmVisits = ({ rules, channels }: Farm): Visit[] => [
  { name: 'alarm rules', path: '/alarm' },
  { name: 'no rule found', path: '/alarm?q=无' },
  { name: 'rules of chosen devices', path: '/alarm?devices=LA-MAST,LA-EAST,LA-SOIL' },
  {
    name: 'the filter of rules by devices',
    path: '/alarm',
    only: (width) => width < 1280,
    open: (at) => press(at, at.say('rule.filter.devices')),
  },
  {
    name: 'a new rule',
    path: '/alarm?rule=new',
    open: async (at) => {
      await ruleForm(at).waitFor();
      await at.page.getByRole('radio', { name: at.say('rule.form.periods.1') }).check({ force: true });
    },
    fits: levelsFit,
  },
  {
    name: 'the errors of a new rule',
    path: '/alarm?rule=new',
    open: async (at) => {
      await ruleForm(at).waitFor();
      await press(at, at.say('common.save'));
    },
  },
  {
    name: 'the devices of a new rule',
    path: '/alarm?rule=new',
    open: async (at) => {
      await ruleForm(at).waitFor();
      await at.page.getByRole('combobox', { name: at.say('rule.form.device') }).click();
      await at.page
        .getByTitle(/LA-BENCH/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'a new channel for a new rule',
    path: '/alarm?rule=new',
    open: async (at) => {
      await ruleForm(at).waitFor();
      await press(at, at.say('channel.new'));
      await dialogOf(at, at.say('channel.new')).waitFor();
      await at.page.getByRole('checkbox', { name: at.say('channel.modes.email') }).check();
    },
  },
  {
    name: 'a rule with its rehearsal and advice',
    path: `/alarm?rule=${rules.one}`,
    open: ({ page, say }) => page.getByText(say('rule.rehearsal.advice.title')).first().waitFor(),
  },
  {
    name: 'a rule of many devices with its rehearsal',
    path: `/alarm?rule=${rules.many}`,
    open: ({ page, say }) => page.getByRole('region', { name: say('rule.rehearsal.all.title') }).waitFor(),
  },
  {
    name: 'the devices of a rule',
    path: '/alarm',
    open: async ({ page, say }) => {
      const name = 'Влажные листья во всех теплицах и на мачтах';
      await page.getByRole('article', { name }).locator('li button').click();
      await page
        .getByRole('dialog', { name: say('rule.devices.title', { name }) })
        .getByRole('listitem')
        .first()
        .waitFor();
    },
  },
  {
    name: 'more for a rule',
    path: '/alarm',
    open: (at) => press(at, at.say('rule.card.more', { name: '霜一' })),
  },
  { name: 'the copy of a rule', path: '/alarm', open: more('霜一', 'rule.card.copy') },
  {
    name: 'the mute of a rule until another time',
    path: '/alarm',
    open: async (at) => {
      await more('霜一', 'rule.card.mute')(at);
      await at.page.getByRole('radio', { name: at.say('rule.mute.other') }).check({ force: true });
    },
  },
  { name: 'the question whether to delete a rule', path: '/alarm', open: more('霜一', 'common.delete') },
  {
    name: 'channels',
    path: '/notification',
    whole: ({ page, language }) => (language === 'pseudo' ? undefined : page.locator('h1')),
  },
  { name: 'no channel found', path: '/notification?q=无' },
  {
    name: 'the errors of a new channel',
    path: '/notification?channel=new',
    open: async (at) => {
      for (const mode of ['email', 'phoneMessage', 'telegram'])
        await at.page.getByRole('checkbox', { name: at.say(`channel.modes.${mode}`) }).check();
      await press(at, at.say('common.save'));
    },
  },
  {
    name: 'a channel',
    path: `/notification?channel=${channels.used}`,
    open: (at) => dialogOf(at, at.say('channel.form.edit', { name: usedChannel })).waitFor(),
    fits: highEnough,
  },
  {
    name: 'a channel in use, which cannot be deleted',
    path: '/notification',
    only: (width) => width >= 768,
    open: (at) => press(at, `${at.say('common.delete')}: ${usedChannel}`),
  },
  {
    name: 'the question whether to delete a channel',
    path: '/notification',
    only: (width) => width >= 768,
    open: (at) => press(at, `${at.say('common.delete')}: 渠二`),
  },
  {
    name: 'the test of a channel',
    path: '/notification',
    only: (width) => width >= 768,
    open: async (at) => {
      // The same twice within a second is refused.
      const name = desktopsOnly(at.width) ? '渠二' : usedChannel;
      await press(at, `${at.say('channel.test.do')}: ${name}`);
      await at.page.getByRole('region', { name: at.say('channel.test.title', { name }) }).waitFor();
    },
  },
];

/** Readings stand beside each other, not below. */
const sideBySide = async ({ page, phone, say }: At): Promise<string[]> => {
  if (phone) return [];
  const facts = page.getByRole('region', { name: say('inform.detail'), exact: true });
  const tops = await facts
    .getByText(/^(Illuminance|Water head|光照强度|水头|Aydınlık şiddeti|Su yükü|Освещённость|Напор воды)$/)
    .evaluateAll((all) => all.map((text) => Math.round(text.getBoundingClientRect().top)));
  return tops.length >= 2 && tops[0] === tops[1] ? [] : [`readings of a notice stand at the heights ${tops}`];
};

const chartIsDrawn = ({ page }: At) => page.locator('canvas').first().waitFor();
const details = async ({ page, say }: At) => {
  const opener = page.getByRole('button', { name: like(say('inform.told.details', { name: '#' })) });
  if (await opener.first().isVisible()) await opener.first().click();
};

export const noticeVisits = ({ notices }: Farm): Visit[] => [
  { name: 'notices', path: '/inform' },
  { name: 'no notice found', path: '/inform?q=无' },
  { name: 'a notice that is not there', path: '/inform?id=999999' },
  { name: 'an open notice of a soil probe', path: `/inform?id=${notices.soil}`, open: chartIsDrawn },
  {
    name: 'a notice that somebody is on',
    path: `/inform?id=${notices.acknowledged}`,
    open: async (at) => {
      await chartIsDrawn(at);
      await details(at);
    },
  },
  { name: 'a notice that is over', path: `/inform?id=${notices.solved}`, open: chartIsDrawn },
  {
    name: 'a notice of long numbers',
    path: `/inform?id=${notices.numbers}`,
    open: chartIsDrawn,
    fits: async (at) => [
      ...(await sideBySide(at)),
      ...(await atLast(() => unreadableTexts(at.page, [longNumbers[at.language][2] ?? '']))),
    ],
  },
  {
    name: 'an acknowledgement',
    path: `/inform?id=${notices.numbers}`,
    open: (at) => press(at, at.say('inform.ack.button')),
  },
  {
    name: 'the solution of a notice that still holds',
    path: `/inform?id=${notices.soil}&solve=1`,
    open: (at) => dialogOf(at, at.say('inform.solve.title')).waitFor(),
  },
  {
    name: 'the question whether to take an acknowledgement back',
    path: `/inform?id=${notices.acknowledged}`,
    open: (at) => press(at, at.say('inform.ack.takeBack')),
  },
  {
    name: 'the change of an acknowledgement',
    path: `/inform?id=${notices.acknowledged}`,
    open: (at) => press(at, at.say('inform.ack.change')),
  },
  {
    name: 'the filter of notices by devices',
    path: '/inform',
    only: phonesOnly,
    open: async (at) => {
      await press(at, at.say('rule.filter.devices'));
      await at.page.getByRole('treeitem').first().waitFor();
    },
  },
  { name: 'activity', path: '/profile/activity' },
  { name: 'no activity found', path: '/profile/activity?q=无' },
  {
    name: 'an entry of the activity',
    path: '/profile/activity?kind=device',
    open: async ({ page }) => {
      const entry = page.getByText(/可删的桅杆/);
      await page.getByRole('link').or(page.getByRole('button')).filter({ has: entry }).first().click();
    },
  },
];
