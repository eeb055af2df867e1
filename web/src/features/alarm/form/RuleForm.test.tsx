import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n';
import { type AlarmServer, alarmServer, askedOf, openAlarms, paths, rule, sentTo } from '@/test/alarm';
import { toasts } from '@/test/profile';
import { refused } from '@/test/server';

let server: AlarmServer;
type User = Awaited<ReturnType<typeof openAlarms>>['user'];

beforeEach(() => {
  server = alarmServer();
});

// By labels and texts: a form with two lists of a hundred times is slow to search by roles.
const dialog = () => within(document.querySelector<HTMLElement>('.ant-modal') ?? document.body);
const box = (name: string | RegExp) => dialog().getByLabelText<HTMLSelectElement>(name, { selector: 'select, input' });
const text = (name: string | RegExp) =>
  dialog().getByLabelText<HTMLInputElement>(name, { selector: 'input, textarea' });
const press = (user: User, name: string) => {
  const button = dialog().queryByLabelText(name, { selector: 'button' }) ?? dialog().getByText(name).closest('button');
  return user.click(button as HTMLElement);
};
const pick = (user: User, name: string) => user.click(dialog().getByLabelText(name, { selector: 'input[type=radio]' }));
const said = () =>
  dialog()
    .getByText(/^Alarm when/, { selector: 'p' })
    .textContent?.replaceAll('\u00a0', ' ');
const slot = (clock: string) => dialog().getByLabelText(new RegExp(`^${clock}–`));
const chosen = () =>
  [...document.querySelectorAll('[data-slot][aria-selected=true]')].map((one) => Number(one.getAttribute('data-slot')));

/** The address leads to the list again, and nothing was asked. */
async function gone({ router }: Pick<Awaited<ReturnType<typeof openAlarms>>, 'router'>) {
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(screen.queryByText('Discard the changes?')).toBeNull();
}

async function open(address = '/alarm?rule=new') {
  const opened = await openAlarms(server, address);
  await screen.findByText('Save and run');
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return opened;
}

async function pickDevice(user: User, name: RegExp) {
  await user.click(box(/^Device source/));
  await user.click(await screen.findByText(name, { selector: '.ant-select-item-option-content' }));
}

/** Fills in a rule on the mast's temperature. */
async function fill(user: User) {
  await user.type(text(/^Alarm name/), 'Frost');
  await pickDevice(user, /Orchard mast/);
  await pick(user, 'Attribute change');
  await pick(user, 'Serious');
  await waitFor(() => expect(box('Attribute of condition 1')).toBeEnabled());
  await user.selectOptions(box('Attribute of condition 1'), 'Air temperature');
  await user.selectOptions(box('Comparison of condition 1'), 'is below');
  await user.type(text('Value of condition 1'), '2');
}

describe('a new rule', () => {
  it('is made of what was filled in', async () => {
    const { user, router } = await open();
    expect(text(/^Alarm name/)).toHaveFocus();
    await fill(user);
    await user.selectOptions(box('Number of readings'), '3 readings');
    await user.selectOptions(box('Window'), '10 minutes');
    await user.selectOptions(box('Start'), '06:15');
    await user.selectOptions(box('End'), '20:00');
    await user.type(text('Description'), ' Start the wind machines ');
    await user.click(dialog().getByLabelText('May be cleared by hand'));
    expect(said()).toBe('Alarm when Air temperature is below 2 °C, for at least 3 readings within 10 minutes.');
    await press(user, 'Save');
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(sentTo(server, paths.create)).toEqual([
      {
        alarmName: 'Frost',
        dataSource: 1,
        executionId: 'WS-1',
        triggerType: 0,
        conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: 2 }],
        hitCounts: 3,
        durations: 600_000,
        alarmLevel: 2,
        complexTime: 0,
        startTime: '06:15',
        endTime: '20:00',
        timePeriods: [],
        passageway: [],
        remindEvery: null,
        alarmDesc: 'Start the wind machines',
        manualRelease: 0,
      },
    ]);
    expect(toasts()).toEqual([{ tone: 'success', title: 'Success' }]);
    expect(await screen.findByRole('article', { name: 'Frost' })).toBeInTheDocument();
    expect(askedOf(server, paths.publish)).toEqual([]);
  });

  it('runs at once when that is asked for', async () => {
    const { user, router } = await open();
    await fill(user);
    await press(user, 'Save and run');
    await waitFor(() => expect(askedOf(server, paths.publish)).toHaveLength(1));
    expect(askedOf(server, paths.publish)[0]?.get('alarmRulesId')).toBe('901');
    await gone({ router });
  });

  it('that is saved but cannot run says so', async () => {
    server.answers.set(paths.publish, () => refused(500, 'Not now'));
    const { user, router } = await open();
    await fill(user);
    await press(user, 'Save and run');
    await waitFor(() =>
      expect(toasts()).toEqual([
        { tone: 'error', title: 'Could not run the rule', text: 'Not now' },
        { tone: 'success', title: 'Success', text: undefined },
      ]),
    );
    await gone({ router });
  });

  it('on being offline has no conditions of its own', async () => {
    const { user } = await open();
    await user.type(text(/^Alarm name/), 'Gone');
    await pickDevice(user, /Lower mast/);
    await pick(user, 'Device offline');
    await pick(user, 'Important');
    expect(dialog().queryByLabelText('Attribute of condition 1')).toBeNull();
    expect(dialog().queryByLabelText('Number of readings')).toBeNull();
    await user.selectOptions(box('Window'), '30 minutes');
    expect(said()).toBe('Alarm when the device has been offline for 30 minutes.');
    expect(dialog().getByText('Clears when the device is back.')).toBeInTheDocument();
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    expect(sentTo(server, paths.create)[0]).toMatchObject({
      triggerType: 1,
      durations: 1_800_000,
      conditions: [{ andor: 'and', tslAttribute: 'onlineState', subconditions: '=', value: 0 }],
    });
  });
});

describe('what is missing', () => {
  it.each([
    [
      'en-us',
      ['Alarm center', 'New rule', 'Save'],
      [
        'The alarm name cannot be empty',
        'The device source cannot be empty',
        'The trigger type cannot be empty',
        'The alarm severity cannot be empty',
        'The list of conditions cannot be empty',
      ],
    ],
    [
      'zh-cn',
      ['告警中心', '新建规则', '保存'],
      ['告警名称不能为空', '设备来源不能为空', '触发类型不能为空', '告警级别不能为空', '条件列表不能为空'],
    ],
    [
      'tr-tr',
      ['Alarm kuralları', 'Yeni kural', 'Kaydet'],
      ['Alarm adını girin', 'Cihaz seçin', 'Tetikleme türünü seçin', 'Alarm düzeyini seçin', 'En az bir koşul ekleyin'],
    ],
    [
      'ru-ru',
      ['Правила тревог', 'Новое правило', 'Сохранить'],
      [
        'Введите название тревоги',
        'Выберите устройство',
        'Выберите тип срабатывания',
        'Выберите уровень тревоги',
        'Добавьте хотя бы одно условие',
      ],
    ],
  ] as [Language, [string, string, string], string[]][])('is told of in %s', async (language, words, sentences) => {
    await useLanguage.getState().setLanguage(language);
    const [page, title, save] = words;
    const { user } = await openAlarms(server, '/alarm?rule=new', page);
    await screen.findByText(title, { selector: '.ant-modal-title' });
    const form = dialog();
    for (const sentence of sentences) expect(form.queryByText(sentence)).toBeNull();
    await press(user, save);
    for (const sentence of sentences) expect(await form.findByText(sentence)).toBeInTheDocument();
    expect(document.querySelector('.ant-modal input')).toHaveFocus();
    expect(sentTo(server, paths.create)).toEqual([]);
  });

  it('in a condition stands with it, and the first of it takes the keyboard', async () => {
    const { user } = await open();
    await fill(user);
    await press(user, 'Add a condition');
    await press(user, 'Save');
    expect(await dialog().findByText('Choose an attribute')).toBeInTheDocument();
    expect(box('Attribute of condition 2')).toHaveAccessibleDescription('Choose an attribute');
    expect(box('Attribute of condition 2')).toHaveFocus();
    await user.selectOptions(box('Attribute of condition 2'), 'Humidity');
    expect(dialog().getByText('Enter a value')).toBeInTheDocument();
    await user.type(text('Value of condition 2'), '8x');
    expect(dialog().getByText('Enter a number')).toBeInTheDocument();
    await user.type(text('Value of condition 2'), '{Backspace},5');
    expect(dialog().getByText('A whole number')).toBeInTheDocument();
    await press(user, 'Remove condition 2');
    expect(dialog().queryByText('A whole number')).toBeNull();
    expect(dialog().queryByLabelText('Remove condition 1')).toBeNull();
  });
});

describe('conditions', () => {
  it('are as their attribute wants them, and joined from top to bottom', async () => {
    const { user } = await open();
    await fill(user);
    await user.clear(text('Value of condition 1'));
    await user.type(text('Value of condition 1'), '-2,5');
    await press(user, 'Add a condition');
    await user.selectOptions(box('How condition 2 joins'), 'or');
    await user.selectOptions(box('Attribute of condition 2'), 'Heating');
    expect(
      within(box('Comparison of condition 2'))
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['equals', 'does not equal']);
    await user.selectOptions(box('Value of condition 2'), 'Off');
    await press(user, 'Add a condition');
    await user.selectOptions(box('Attribute of condition 3'), 'Leaf wetness');
    await user.type(text('Value of condition 3'), 'wet');
    expect(said()).toBe(
      'Alarm when ((Air temperature is below −2.5 °C or Heating equals Off) and Leaf wetness equals wet), for at least 1 reading within 5 minutes.',
    );
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    expect(sentTo(server, paths.create)[0]).toMatchObject({
      conditions: [
        { andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: -2.5 },
        { andor: 'or', tslAttribute: 'heating', subconditions: '=', value: false },
        { andor: 'and', tslAttribute: 'wetness', subconditions: '=', value: 'wet' },
      ],
    });
  });

  it('may end at another value, on the safe side of their own', async () => {
    const { user } = await open();
    await fill(user);
    await press(user, 'Clear at another value');
    expect(dialog().getByText('Clears at or above')).toBeInTheDocument();
    await user.type(text('Recovery value of condition 1'), '1');
    await press(user, 'Save');
    expect(await dialog().findByText('Must not be below the limit')).toBeInTheDocument();
    await user.clear(text('Recovery value of condition 1'));
    await user.type(text('Recovery value of condition 1'), '4');
    expect(dialog().getByText(/^Clears at the first/)).toHaveTextContent(
      'While the alarm is open, the limit is Air temperature 4 °C.',
    );
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    expect(sentTo(server, paths.create)[0]).toMatchObject({ conditions: [{ value: 2, recovery: 4 }] });
  });
});

describe('the devices', () => {
  it('are a hundred to begin with, all others are searched on the server', async () => {
    const { user } = await open();
    await user.click(box(/^Device source/));
    expect(await screen.findByText('The first 100 of 122. Type to find others.')).toBeInTheDocument();
    expect(askedOf(server, paths.devices).length).toBe(0);
    await user.type(box(/^Device source/), 'probe 119');
    await user.click(await screen.findByText('Probe 119 · PR-119', { selector: '.ant-select-item-option-content' }));
    expect(
      dialog().getByText('Probe 119 · PR-119', {
        selector: '.ant-select-content-value, .ant-select-content *, .ant-select-content',
      }),
    ).toBeInTheDocument();
  });
});

describe('the notification period', () => {
  it('must not begin after its end, and offers half hours for a night', async () => {
    const { user } = await open();
    await fill(user);
    await user.selectOptions(box('Start'), '18:00');
    await user.selectOptions(box('End'), '07:15');
    await press(user, 'Save');
    expect(await dialog().findByText('Start time must not be after end time')).toBeInTheDocument();
    await press(user, 'Use 18:00–24:00, 00:00–07:30 as custom hours');
    expect(dialog().getByText('18:00–24:00, 00:00–07:30 · 27 of 48 half hours · Europe/Istanbul')).toBeInTheDocument();
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    const [{ timePeriods, startTime }] = sentTo(server, paths.create) as [
      { timePeriods: number[]; startTime?: string },
    ];
    expect(startTime).toBeUndefined();
    expect(timePeriods).toEqual([
      ...Array.from({ length: 15 }, (_, i) => i),
      ...Array.from({ length: 12 }, (_, i) => 36 + i),
    ]);
  });

  it('of half hours must hold one', async () => {
    const { user } = await open();
    await fill(user);
    await pick(user, 'Custom');
    expect(dialog().getByText('No half hour is chosen · Europe/Istanbul')).toBeInTheDocument();
    await press(user, 'Save');
    expect(await dialog().findByText('Choose at least one half hour')).toBeInTheDocument();
    expect(slot('00:00')).toHaveFocus();
  });

  it('is painted by a pointer: a click turns one, a stroke several', async () => {
    const { user } = await open();
    await pick(user, 'Custom');
    const down = (clock: string) => fireEvent.pointerDown(slot(clock), { button: 0 });
    const over = (clock: string) => fireEvent.pointerEnter(slot(clock));
    const up = () => fireEvent.pointerUp(window);
    down('08:00');
    over('09:30');
    expect(chosen()).toEqual([16, 17, 18, 19]);
    // Back again: what was only come over is as before.
    over('08:30');
    expect(chosen()).toEqual([16, 17]);
    up();
    over('12:00');
    expect(chosen()).toEqual([16, 17]);
    down('08:30');
    over('08:00');
    up();
    expect(chosen()).toEqual([]);
  });

  it('is painted by the keyboard', async () => {
    const { user } = await open();
    await pick(user, 'Custom');
    slot('00:00').focus();
    await user.keyboard('{ArrowRight}{ArrowDown} ');
    expect(slot('12:30')).toHaveFocus();
    expect(chosen()).toEqual([25]);
    await user.keyboard('{Shift>}{ArrowRight}{ArrowRight}{/Shift}');
    expect(chosen()).toEqual([25, 26, 27]);
    await user.keyboard('{End} {Home}{Shift>}{ArrowRight}{/Shift}');
    expect(chosen()).toEqual([0, 1, 25, 26, 27, 47]);
    expect(dialog().getByText(/^23:30–24:00, 00:00–01:00, 12:30–14:00 · 6 of 48/)).toBeInTheDocument();
  });
});

describe('a rule that is there', () => {
  it('is changed, whole', async () => {
    server.rules = [
      rule({
        passageway: [7],
        alarmDesc: 'Old',
        conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '>=', value: 30, recovery: 28.5 }],
      }),
    ];
    const { user, router } = await open('/alarm?rule=1');
    expect(text('Value of condition 1')).toHaveValue('30');
    expect(text('Recovery value of condition 1')).toHaveValue('28.5');
    await user.clear(text(/^Alarm name/));
    await user.type(text(/^Alarm name/), 'Heat');
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.update)).toHaveLength(1));
    expect(sentTo(server, paths.update)[0]).toMatchObject({
      id: 1,
      alarmName: 'Heat',
      passageway: [7],
      alarmDesc: 'Old',
      hitCounts: 3,
      conditions: [{ subconditions: '>=', value: 30, recovery: 28.5 }],
    });
    expect(await screen.findByRole('article', { name: 'Heat' })).toBeInTheDocument();
    await gone({ router });
  });

  it('that is gone is told of', async () => {
    const { router } = await openAlarms(server, '/alarm?rule=77');
    await waitFor(() =>
      expect(toasts()).toMatchObject([{ tone: 'warning', title: 'This rule is not there any more' }]),
    );
    expect(router.state.location.search).toEqual({});
  });
});

describe('what the server refuses', () => {
  it.each([
    ['The data source type cannot be empty', /^Device source/],
    ['The alarm name cannot be empty', /^Alarm name/],
  ])('“%s” stands at its field', async (sentence, field) => {
    server.answers.set(paths.create, () => refused(601, sentence));
    const { user } = await open();
    await fill(user);
    await press(user, 'Save');
    await waitFor(() => expect(toasts()).toEqual([{ tone: 'error', title: 'Fail', text: sentence }]));
    const wrong = field.source.includes('Device') ? box(field) : text(field);
    expect(wrong).toHaveAccessibleDescription(sentence);
    expect(text(/^Alarm name/)).toHaveValue('Frost');
  });

  it('by hand or not stands at the switch, conditions at their frame, all else above the form', async () => {
    const { user } = await open();
    await fill(user);
    const refuse = async (sentence: string) => {
      server.answers.set(paths.create, () => refused(601, sentence));
      await user.type(text('Description'), 'x');
      await press(user, 'Save');
      await waitFor(() => expect(toasts().at(-1)?.text).toBe(sentence));
    };
    await refuse('Manually clear the alarm. The value cannot be empty');
    const byHand = dialog().getByRole('switch');
    expect(byHand).toHaveAccessibleDescription('Manually clear the alarm. The value cannot be empty');
    await refuse('Condition 1: too many decimals, the attribute has 0');
    expect(dialog().getByRole('group', { name: /^Alarm when/ })).toHaveAccessibleDescription(/^Condition 1: too many/);
    await refuse('At most 2000 alarm rules are possible. Delete one first');
    expect(dialog().getByText('Fail').closest('[role="alert"]')).toHaveTextContent(/At most 2000/);
  });
});

describe('what was not saved', () => {
  it('is asked about before it is left', async () => {
    const { user, router } = await open('/alarm?rule=1');
    await user.type(text(/^Alarm name/), '!');
    await press(user, 'Cancel');
    await user.click(await screen.findByText('Keep editing'));
    expect(router.state.location.search).toEqual({ rule: 1 });
    expect(text(/^Alarm name/)).toHaveValue('Spring frost!');
    await press(user, 'Cancel');
    await user.click(await screen.findByText('Discard changes'));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it('is not asked about where nothing was changed', async () => {
    const { user, router } = await open('/alarm?rule=1');
    await press(user, 'Cancel');
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(screen.queryByText('Discard the changes?')).toBeNull();
  });

  it('is offered when the form opens again', async () => {
    sessionStorage.setItem('tilth.draft.7.alarm-rule-new', JSON.stringify({ alarmName: 'Half a rule', hitCounts: 4 }));
    const { user } = await open();
    await press(user, 'Restore');
    expect(text(/^Alarm name/)).toHaveValue('Half a rule');
    expect(box('Number of readings')).toHaveValue('4');
  });
});
