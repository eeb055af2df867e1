import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { alarmServer, askedOf, card, cards, hour, openAlarms, paths, streamEvent, three } from '@/test/alarmServer';
import { setWidth } from '@/test/mediaQueries';
import { toasts } from '@/test/profileServer';
import { channel, rule } from '@/test/samples';
import { refused } from '@/test/server';
import { noAnswer } from '@/test/telemetryServer';

describe('a card', () => {
  it('reads as a sentence, with state, level, device, period and recipients', async () => {
    await openAlarms(alarmServer(three()));
    const frost = card('Spring frost');
    expect(frost.getByText('Running')).toBeVisible();
    expect(frost.getByText('Serious')).toBeVisible();
    const sentence = frost.getByText('Air temperature').closest('p');
    expect(sentence).toHaveTextContent('Air temperature below 2 °C, 3 readings within 10 min');
    expect(frost.getByText('Orchard mast')).toHaveAttribute('title', 'Device: WS-1 · Orchard mast');
    expect(frost.getByText('Nobody is told')).toBeVisible();
    expect(frost.getByText('Whole day')).toBeVisible();
    expect(frost.getByText(/^None since .*\d\d:\d\d$/)).toBeVisible();
    const gone = card('Pump house gone');
    expect(gone.getByText('Stopped')).toBeVisible();
    expect(gone.getByText('Important')).toBeVisible();
    expect(gone.getByText(/^Device offline for/)).toHaveTextContent('Device offline for 10 min');
    expect(gone.getByText('06:00–20:00')).toBeVisible();
    expect(gone.getByText(/^Stopped \d\d:\d\d by Elif Kaya$/)).toBeVisible();
    expect(card('Never run').getByText('Never run', { selector: 'p span' })).toBeVisible();
    expect(screen.getByText('3 rules, 1 running')).toBeVisible();
  });

  it('names the channels, and how often people are reminded', async () => {
    const server = alarmServer([
      rule({ passageway: [1, 2], remindEvery: 30 }),
      rule({ id: 2, alarmName: 'Gone', passageway: [1, 9], remindEvery: 240 }),
      rule({ id: 3, alarmName: 'Quiet' }),
    ]);
    server.channels = [channel(), channel({ id: 2, noticeName: 'Elif, phone' })];
    await openAlarms(server);
    expect(card('Spring frost').getByText('Night crew · Elif, phone')).toBeVisible();
    expect(card('Spring frost').getByText(/^Reminder every 30\smin$/)).toBeVisible();
    expect(card('Gone').getByText('2 channels')).toBeVisible();
    expect(card('Gone').getByText(/^Reminder every 4\sh$/)).toBeVisible();
    expect(card('Quiet').getByText('Nobody is told')).toBeVisible();
    expect(card('Quiet').queryByText(/^Reminder/)).toBeNull();
    // One request for the names of all cards.
    expect(askedOf(server, paths.channels)).toHaveLength(1);
  });

  it('shows how many devices a rule has, how many alarms are open, and of which device it speaks', async () => {
    const targets = { devices: [], groups: [3], products: [] };
    const server = alarmServer([
      rule({ targets, deviceCount: 4, openCount: 1 }),
      rule({ id: 2, alarmName: 'Calm', targets: { ...targets, devices: ['WS-1', 'WS-2'] }, deviceCount: 2 }),
      rule({ id: 3, alarmName: 'Empty', targets, deviceCount: 0, executionId: '', noteName: '' }),
    ]);
    server.outlooks = [{ id: 2, fits: true, distance: 1.5, value: 3.5, deviceName: 'WS-2', noteName: 'Low mast' }];
    await openAlarms(server);
    expect(card('Spring frost').getByText('4 devices, 1 open')).toBeVisible();
    expect(card('Calm').getByText('2 devices')).toBeVisible();
    expect(await card('Calm').findByText(/^Low mast: 1.5 °C/)).toBeVisible();
    expect(card('Empty').getByText('No device')).toBeVisible();
  });

  it('says why a rule cannot run whose device has lost an attribute, and what to do', async () => {
    const lost = { deployState: 2 as const, deployUser: undefined, attributesGone: ['airTemperature'] };
    const server = alarmServer([
      rule(lost),
      rule({ ...lost, id: 2, alarmName: 'Both', attributesGone: ['airTemperature', 'zq'] }),
    ]);
    await openAlarms(server);
    expect(
      await card('Spring frost').findByText(
        'The device no longer has the attribute “Air temperature”, or has it in another kind. Choose another attribute or remove the condition; the rule can then run again.',
      ),
    ).toBeVisible();
    expect(card('Spring frost').getByText(/^Stopped \d\d:\d\d$/)).toBeVisible();
    expect(
      card('Both').getByText(/^The device no longer has the attributes “Air temperature”, “zq”, or /),
    ).toBeVisible();
  });

  it('shows when the rule last fired, in red while its alarm is open', async () => {
    const now = Date.now();
    await openAlarms(
      alarmServer([
        rule({ lastNotice: { id: 5, startTime: now - 2 * hour }, noticeCount: 4, passageway: [1, 2] }),
        rule({ id: 2, alarmName: 'Open', openNotice: { id: 6, startTime: now - 60_000 } }),
      ]),
    );
    expect(card('Spring frost').getByText('Last alarm 2 h ago, 4 in 30 days')).toBeVisible();
    expect(
      card('Open')
        .getByText(/^Since /)
        .closest('p'),
    ).toHaveClass('open');
  });

  it('says how close the device is, when it reaches the limit, and that a window can never fill', async () => {
    const server = alarmServer([
      rule(),
      rule({ id: 2, alarmName: 'Near' }),
      rule({ id: 3, alarmName: 'Cannot', durations: 300_000, hitCounts: 4 }),
      rule({
        id: 4,
        alarmName: 'Passed',
        conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '>', value: 1 }],
      }),
      rule({
        id: 5,
        alarmName: 'On it',
        conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '>', value: 1 }],
      }),
      rule({
        id: 6,
        alarmName: 'Beyond',
        conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '>', value: 1 }],
      }),
    ]);
    const lastSample = Date.now() - 60_000;
    server.outlooks = [
      { id: 1, fits: true, usualInterval: 60_000, lastSample, value: 2.8, distance: 0.8, expected: Date.now() + hour },
      { id: 2, fits: true, usualInterval: 60_000, lastSample, value: 3, distance: 1 },
      { id: 3, fits: false, usualInterval: 150_000, lastSample },
      { id: 4, fits: true, usualInterval: 60_000, lastSample, value: 0.5, distance: 0.5 },
      { id: 5, fits: true, usualInterval: 60_000, lastSample, value: 1.04, distance: 0, holds: false },
      { id: 6, fits: true, usualInterval: 60_000, lastSample, value: 1.2, distance: 0, holds: true },
    ];
    await openAlarms(server);
    const line = await card('Spring frost').findByText(/above the limit/);
    expect(line).toHaveTextContent(/^0\.8 °C above the limit, reached about (.+, )?\d\d:\d\d at this rate$/);
    expect(card('Near').getByText(/above the limit/)).toHaveTextContent(/^1 °C above the limit$/);
    expect(card('Cannot').getByText('Only 2 readings fit into 5 minutes: can never trigger')).toBeVisible();
    expect(card('Passed').getByText(/below the limit/)).toHaveTextContent(/^0\.5 °C below the limit$/);
    expect(card('On it').getByText('At the limit')).toBeVisible();
    expect(card('Beyond').getByText('The limit is passed')).toBeVisible();
    expect(card('Near').getByText(/^None since .*\d\d:\d\d, checked 1 min ago$/)).toBeVisible();
    expect(askedOf(server, paths.outlook)[0]?.get('ids')).toBe('1,2,3,4,5,6');
  });
});

describe('Run and Stop', () => {
  it('switch a rule and refetch the list', async () => {
    const server = alarmServer(three());
    const { user } = await openAlarms(server);
    const pages = askedOf(server, paths.page).length;
    await user.click(card('Spring frost').getByRole('button', { name: 'Stop: Spring frost' }));
    expect(await card('Spring frost').findByText('Stopped')).toBeVisible();
    expect(askedOf(server, paths.unpublish)[0]?.get('alarmRulesId')).toBe('1');
    expect(askedOf(server, paths.page).length).toBeGreaterThan(pages);
    await user.click(card('Never run').getByRole('button', { name: 'Run: Never run' }));
    expect(await card('Never run').findByText('Running')).toBeVisible();
    expect(toasts().map(({ title }) => title)).toEqual(['“Spring frost” is stopped', '“Never run” is running']);
  });

  it('show a failure, and the card stays unchanged', async () => {
    const server = alarmServer(three());
    server.answers.set(paths.publish, () => refused(601, 'The device is gone'));
    const { user } = await openAlarms(server);
    await user.click(card('Never run').getByRole('button', { name: 'Run: Never run' }));
    await waitFor(() =>
      expect(toasts()).toEqual([{ tone: 'warning', title: 'Could not run the rule', text: 'The device is gone' }]),
    );
    expect(card('Never run').getByText('Stopped')).toBeVisible();
  });
});

describe('the list', () => {
  it('is searched on the server by name and keeps the search in the address', async () => {
    const server = alarmServer(three());
    const { user, router } = await openAlarms(server);
    await user.type(screen.getByRole('textbox', { name: 'Search alarm rules' }), 'pump{Enter}');
    await waitFor(() => expect(cards()).toEqual(['Pump house gone']));
    expect(router.state.location.search).toEqual({ q: 'pump' });
    expect(askedOf(server, paths.page).at(-1)?.get('alarmName')).toBe('pump');
  });

  it('is filtered by chosen devices, which are shown above it and can be removed', async () => {
    const server = alarmServer(three());
    const { user, router } = await openAlarms(server);
    await user.click(screen.getByRole('treeitem', { name: /Lower mast/ }));
    await waitFor(() => expect(cards()).toEqual(['Pump house gone']));
    expect(askedOf(server, paths.page).at(-1)?.get('executionId')).toBe('WS-2');
    await user.click(screen.getByRole('treeitem', { name: /Orchard mast/ }));
    await waitFor(() => expect(cards()).toHaveLength(3));
    expect(router.state.location.search).toEqual({ devices: 'WS-2,WS-1' });
    await user.click(screen.getByRole('button', { name: 'Do not filter by Orchard mast' }));
    await waitFor(() => expect(cards()).toEqual(['Pump house gone']));
    await user.click(screen.getByRole('button', { name: 'All devices' }));
    await waitFor(() => expect(cards()).toHaveLength(3));
    expect(router.state.location.search).toEqual({});
  });

  it('names the first of many chosen devices and counts the others', async () => {
    const { user } = await openAlarms(alarmServer(three()), '/alarm?devices=WS-1,WS-2,PR-1');
    expect(await screen.findByRole('button', { name: 'Do not filter by Orchard mast' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Do not filter by 2 more devices' }));
    await waitFor(() => expect(cards()).toEqual(['Spring frost', 'Never run']));
  });

  it('searches devices on the server', async () => {
    const server = alarmServer(three());
    const { user } = await openAlarms(server);
    await user.type(screen.getByRole('textbox', { name: 'Search devices' }), 'probe 11');
    expect(await screen.findByRole('treeitem', { name: /Probe 110/ })).toBeVisible();
    await user.click(screen.getByRole('treeitem', { name: /Probe 110/ }));
    expect(await screen.findByRole('heading', { name: 'No rule matches' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Show all rules' }));
    await waitFor(() => expect(cards()).toHaveLength(3));
  });

  it('has pages', async () => {
    const many = Array.from({ length: 25 }, (_, i) => rule({ id: i + 1, alarmName: `Rule ${i + 1}` }));
    const server = alarmServer(many);
    const { user, router } = await openAlarms(server, '/alarm?page=9');
    // The address may name a page that no longer exists.
    await waitFor(() => expect(cards()).toHaveLength(5));
    expect(router.state.location.search).toEqual({ page: 3 });
    expect(screen.getByText('21–25 of 25')).toBeVisible();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Rows on a page' }), '100');
    await waitFor(() => expect(cards()).toHaveLength(25));
    expect(router.state.location.search).toEqual({ size: 100 });
    expect(askedOf(server, paths.page).at(-1)?.get('pageSize')).toBe('100');
  });

  it('explains rules if there are none, and offers to create the first', async () => {
    const { user, router } = await openAlarms(alarmServer([]));
    expect(screen.getByRole('heading', { name: 'No alarm rules yet' })).toBeVisible();
    const buttons = screen.getAllByRole('button', { name: 'New rule' });
    await user.click(buttons[1] as HTMLElement);
    expect(await screen.findByRole('dialog', { name: 'New rule' })).toBeInTheDocument();
    expect(router.state.location.search).toEqual({ rule: 'new' });
  });

  it('shows an error in its place, with a button to retry', async () => {
    const server = alarmServer();
    server.answers.set(paths.page, noAnswer);
    const { user } = await openAlarms(server);
    const note = within(screen.getByRole('main')).getByRole('alert');
    expect(note).toHaveTextContent('The server does not answer');
    expect(toasts()).toEqual([{ tone: 'error', title: 'Cannot connect to the server', text: undefined }]);
    expect(screen.getByText('The rules could not be fetched')).toBeVisible();
    server.answers.delete(paths.page);
    await user.click(within(note).getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(cards()).toEqual(['Spring frost']));
    server.answers.set(paths.page, noAnswer);
    streamEvent(server, 'reset', {});
    expect(await screen.findByText(/^The data shown is from/)).toBeVisible();
    expect(cards()).toEqual(['Spring frost']);
  });

  it('shows a notice as soon as the live stream reports it', async () => {
    const server = alarmServer();
    await openAlarms(server);
    server.rules = [rule({ openNotice: { id: 9, startTime: Date.now() } })];
    streamEvent(server, 'notice', { id: 9, ruleId: 1 });
    expect(await card('Spring frost').findByText(/^Since /)).toBeVisible();
  });
});

describe('on a phone', () => {
  it('shows the devices in a drawer', async () => {
    setWidth(390);
    const server = alarmServer(three());
    const { user } = await openAlarms(server);
    expect(screen.queryByRole('tree')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Filter by devices' }));
    const drawer = within(await screen.findByRole('dialog', { name: 'Filter by devices' }));
    await user.click(await drawer.findByRole('treeitem', { name: /Lower mast/ }));
    await user.click(await drawer.findByRole('button', { name: '1 device chosen' }));
    await waitFor(() => expect(cards()).toEqual(['Pump house gone']));
  });
});

describe('the languages', () => {
  it.each([
    ['zh-cn', '告警中心', '运行中', 'Air temperature低于2 °C，10分钟内3个读数', '启动: Never run'],
    [
      'tr-tr',
      'Alarm kuralları',
      'Çalışıyor',
      'Air temperature 2 °C değerinin altında; 10 dk içinde 3 ölçüm',
      'Çalıştır: Never run',
    ],
    [
      'ru-ru',
      'Правила тревог',
      'Работает',
      'Air temperature меньше 2 °C, 3 показания за 10 мин',
      'Запустить: Never run',
    ],
  ] as [Language, string, string, string, string][])('%s', async (language, title, state, sentence, run) => {
    await useLanguage.getState().setLanguage(language);
    await openAlarms(alarmServer(three()), '/alarm', title);
    const frost = card('Spring frost');
    expect(frost.getByText(state)).toBeVisible();
    expect(frost.getByText('Air temperature').closest('p')).toHaveTextContent(sentence);
    expect(card('Never run').getByRole('button', { name: run })).toBeVisible();
  });
});

it.each([
  ['en-us', 'Mon–Fri, 20:00–07:00', 'Sat, Sun'],
  ['zh-cn', '周一至周五20:00–07:00', '周六、周日'],
  ['tr-tr', 'Pzt–Cum 20:00–07:00', 'Cmt, Paz'],
  ['ru-ru', 'Пн–пт, 20:00–07:00', 'Сб, вс'],
] as [Language, string, string][])(
  'shows on a card on which days people are notified: %s',
  async (language, nights, days) => {
    await useLanguage.getState().setLanguage(language);
    const night = Array.from({ length: 48 }, (_, i) => i).filter((slot) => slot >= 40 || slot < 14);
    await openAlarms(
      alarmServer([
        rule({ complexTime: 1, timePeriods: night, weekdays: [1, 2, 3, 4, 5] }),
        rule({ id: 2, alarmName: 'Weekend', startTime: undefined, endTime: undefined, weekdays: [6, 7] }),
      ]),
      '/alarm',
      /./,
    );
    expect(card('Spring frost').getByText(nights)).toBeVisible();
    expect(card('Weekend').getByText(days)).toBeVisible();
  },
);
