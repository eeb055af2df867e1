import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { askedOf, openAlarms, paths, sentTo } from '@/test/alarmServer';
import { goOffline } from '@/test/network';
import { toasts } from '@/test/profileServer';
import {
  dialog,
  expectFormClosed,
  fieldBox,
  fillRule,
  newServerForEachTest,
  openRuleForm,
  pick,
  pickDevice,
  press,
  ruleSentence,
  server,
  textField,
} from '@/test/ruleForm';
import { rule } from '@/test/samples';
import { refused } from '@/test/server';

newServerForEachTest();

describe('a new rule', () => {
  it('is created from the filled-in form', async () => {
    const { user, router } = await openRuleForm();
    expect(textField(/^Alarm name/)).toHaveFocus();
    await fillRule(user);
    await user.selectOptions(fieldBox('Number of readings'), '3 readings');
    await user.selectOptions(fieldBox('Window'), '10 minutes');
    await user.selectOptions(fieldBox('Start'), '06:15');
    await user.selectOptions(fieldBox('End'), '20:00');
    await user.type(textField('Description'), ' Start the wind machines ');
    await pick(user, 'Supported');
    expect(ruleSentence()).toBe('Alarm when Air temperature is below 2 °C, for at least 3 readings within 10 minutes.');
    await press(user, 'Save');
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(sentTo(server, paths.create)).toEqual([
      {
        alarmName: 'Frost',
        dataSource: 1,
        executionId: 'WS-1',
        targets: { devices: ['WS-1'], groups: [], products: [] },
        triggerType: 0,
        conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: 2 }],
        hitCounts: 3,
        durations: 600_000,
        alarmLevel: 2,
        complexTime: 0,
        startTime: '06:15',
        endTime: '20:00',
        timePeriods: [],
        weekdays: [],
        passageway: [],
        remindEvery: null,
        alarmDesc: 'Start the wind machines',
        manualRelease: 1,
      },
    ]);
    expect(toasts()).toEqual([{ tone: 'success', title: 'Success' }]);
    expect(await screen.findByRole('article', { name: 'Frost' })).toBeInTheDocument();
    expect(askedOf(server, paths.publish)).toEqual([]);
  });

  it('runs at once if requested', async () => {
    const { user, router } = await openRuleForm();
    await fillRule(user);
    await press(user, 'Save and run');
    await waitFor(() => expect(askedOf(server, paths.publish)).toHaveLength(1));
    expect(askedOf(server, paths.publish)[0]?.get('alarmRulesId')).toBe('901');
    await expectFormClosed({ router });
  });

  it('says without a network that saving needs one, and keeps the input', async () => {
    const { user } = await openRuleForm();
    await user.type(textField(/^Alarm name/), 'Frost');
    const regain = goOffline();
    expect(dialog().queryByText('Save')).toBeNull();
    expect(dialog().queryByText('Save and run')).toBeNull();
    const button = dialog().getByText('Needs a connection').closest('button');
    expect(button).toBeDisabled();
    await user.click(button as HTMLElement);
    expect(sentTo(server, paths.create)).toEqual([]);
    regain();
    expect(dialog().getByText('Save').closest('button')).toBeEnabled();
    expect(dialog().getByText('Save and run').closest('button')).toBeEnabled();
    expect(textField(/^Alarm name/)).toHaveValue('Frost');
  });

  it('shows a message if it was saved but cannot run', async () => {
    server.answers.set(paths.publish, () => refused(500, 'Not now'));
    const { user, router } = await openRuleForm();
    await fillRule(user);
    await press(user, 'Save and run');
    await waitFor(() =>
      expect(toasts()).toEqual([
        { tone: 'error', title: 'Could not run the rule', text: 'Not now' },
        { tone: 'success', title: 'Success', text: undefined },
      ]),
    );
    await expectFormClosed({ router });
  });

  it('has no conditions if it is on being offline', async () => {
    const { user } = await openRuleForm();
    await user.type(textField(/^Alarm name/), 'Gone');
    await pickDevice(user, /Lower mast/);
    await pick(user, 'Device offline');
    await pick(user, 'Important');
    await pick(user, 'Supported');
    expect(dialog().queryByLabelText('Attribute of condition 1')).toBeNull();
    expect(dialog().queryByLabelText('Number of readings')).toBeNull();
    await user.selectOptions(fieldBox('Window'), '30 minutes');
    expect(ruleSentence()).toBe('Alarm when the device has been offline for 30 minutes.');
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

describe('a missing value', () => {
  it.each([
    [
      'en-us',
      ['Alarm center', 'New rule', 'Save'],
      [
        'The alarm name cannot be empty',
        'The device source cannot be empty',
        'The trigger type cannot be empty',
        'The alarm severity cannot be empty',
        'Manually clear the alarm. The value cannot be empty',
        'The list of conditions cannot be empty',
      ],
    ],
    [
      'zh-cn',
      ['告警中心', '新建规则', '保存'],
      [
        '告警名称不能为空',
        '设备来源不能为空',
        '触发类型不能为空',
        '告警级别不能为空',
        '手动解除告警不能为空',
        '条件列表不能为空',
      ],
    ],
    [
      'tr-tr',
      ['Alarm kuralları', 'Yeni kural', 'Kaydet'],
      [
        'Alarm adını girin',
        'Cihaz seçin',
        'Tetikleme türünü seçin',
        'Alarm düzeyini seçin',
        'Elle kapatma seçeneğini belirtin',
        'En az bir koşul ekleyin',
      ],
    ],
    [
      'ru-ru',
      ['Правила тревог', 'Новое правило', 'Сохранить'],
      [
        'Введите название тревоги',
        'Выберите устройство',
        'Выберите тип срабатывания',
        'Выберите уровень тревоги',
        'Укажите, можно ли снять тревогу вручную',
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

  it('is reported for the data source once it was removed; a new rule has one', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    const source = fieldBox(/^Data source/) as unknown as HTMLSelectElement;
    expect([...source.options].map(({ text }) => text)).toEqual(['Choose a data source', 'Device']);
    expect(source).toHaveDisplayValue('Device');
    expect(source).toBeRequired();
    await user.selectOptions(source, 'Choose a data source');
    await press(user, 'Save');
    await waitFor(() => expect(source).toHaveAccessibleDescription('The data source type cannot be empty'));
    expect(source).toHaveFocus();
    expect(sentTo(server, paths.create)).toEqual([]);
  });

  it('is reported at its condition, and the first one takes the focus', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    await press(user, 'Add a condition');
    await press(user, 'Save');
    expect(await dialog().findByText('Choose an attribute')).toBeInTheDocument();
    expect(fieldBox('Attribute of condition 2')).toHaveAccessibleDescription('Choose an attribute');
    expect(fieldBox('Attribute of condition 2')).toHaveFocus();
    await user.selectOptions(fieldBox('Attribute of condition 2'), 'Humidity');
    expect(dialog().getByText('Enter a value')).toBeInTheDocument();
    await user.type(textField('Value of condition 2'), '8x');
    expect(dialog().getByText('Enter a number')).toBeInTheDocument();
    await user.type(textField('Value of condition 2'), '{Backspace},5');
    expect(dialog().getByText('A whole number')).toBeInTheDocument();
    await press(user, 'Remove condition 2');
    expect(dialog().queryByText('A whole number')).toBeNull();
    expect(dialog().queryByLabelText('Remove condition 1')).toBeNull();
  });
});

describe('manual release', () => {
  it.each([
    [1, 'Supported'],
    [0, 'Not supported'],
  ] as const)('keeps a rule’s setting: %i, %s', async (manualRelease, words) => {
    server.rules = [rule({ manualRelease })];
    const { user } = await openRuleForm('/alarm?rule=1');
    const release = within(dialog().getByRole('radiogroup', { name: /^Manual release/ }));
    expect(release.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent)).toEqual([
      'Supported',
      'Not supported',
    ]);
    expect(release.getByRole('radio', { name: words })).toBeChecked();
    await user.type(textField(/^Alarm name/), '!');
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.update)).toHaveLength(1));
    expect(sentTo(server, paths.update)[0]).toMatchObject({ dataSource: 1, manualRelease });
  });
});

describe('comparisons', () => {
  it.each([
    [
      'en-us',
      ['is above (>)', 'is at least (≥)', 'is below (<)', 'is at most (≤)', 'equals (=)', 'does not equal (≠)'],
    ],
    ['zh-cn', ['高于（>）', '不低于（≥）', '低于（<）', '不高于（≤）', '等于（=）', '不等于（≠）']],
    ['tr-tr', ['üstünde (>)', 'en az (≥)', 'altında (<)', 'en çok (≤)', 'eşit (=)', 'eşit değil (≠)']],
    ['ru-ru', ['больше (>)', 'не меньше (≥)', 'меньше (<)', 'не больше (≤)', 'равно (=)', 'не равно (≠)']],
  ] as [Language, string[]][])('show their sign beside their words in %s', async (language, words) => {
    await useLanguage.getState().setLanguage(language);
    await openAlarms(server, '/alarm?rule=new', /./);
    await waitFor(() => expect(document.querySelector('.ant-modal select')).not.toBeNull());
    const offered = [...document.querySelectorAll('.ant-modal option')].map(({ textContent }) => textContent);
    expect(offered).toEqual(expect.arrayContaining(words));
  });
});

describe('an existing rule', () => {
  it('is saved as a whole', async () => {
    server.rules = [
      rule({
        passageway: [7],
        alarmDesc: 'Old',
        conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '>=', value: 30, recovery: 28.5 }],
      }),
    ];
    const { user, router } = await openRuleForm('/alarm?rule=1');
    expect(textField('Value of condition 1')).toHaveValue('30');
    expect(textField('Recovery value of condition 1')).toHaveValue('28.5');
    await user.clear(textField(/^Alarm name/));
    await user.type(textField(/^Alarm name/), 'Heat');
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
    await expectFormClosed({ router });
  });

  it('shows a message if it no longer exists', async () => {
    const { router } = await openAlarms(server, '/alarm?rule=77');
    await waitFor(() => expect(toasts()).toMatchObject([{ tone: 'warning', title: 'This rule no longer exists' }]));
    expect(router.state.location.search).toEqual({});
  });
});
