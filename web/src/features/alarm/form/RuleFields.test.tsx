import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { askedOf, paths, sentTo } from '@/test/alarmServer';
import {
  chosenSlots,
  dialog,
  fieldBox,
  fillRule,
  newServerForEachTest,
  openRuleForm,
  pick,
  press,
  ruleSentence,
  server,
  slot,
  textField,
} from '@/test/ruleForm';
import { tenantZone } from '@/test/shellServer';

newServerForEachTest();

describe('conditions', () => {
  it('fit their attribute and are joined from top to bottom', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    await user.clear(textField('Value of condition 1'));
    await user.type(textField('Value of condition 1'), '-2,5');
    await press(user, 'Add a condition');
    await user.selectOptions(fieldBox('How condition 2 joins'), 'or');
    await user.selectOptions(fieldBox('Attribute of condition 2'), 'Heating');
    expect(
      within(fieldBox('Comparison of condition 2'))
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['equals (=)', 'does not equal (≠)']);
    await user.selectOptions(fieldBox('Value of condition 2'), 'Off');
    await press(user, 'Add a condition');
    await user.selectOptions(fieldBox('Attribute of condition 3'), 'Leaf wetness');
    await user.type(textField('Value of condition 3'), 'wet');
    expect(ruleSentence()).toBe(
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

  it('may end at another value, on the safe side of the limit', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    await press(user, 'Clear at another value');
    expect(dialog().getByText('Clears at or above')).toBeInTheDocument();
    await user.type(textField('Recovery value of condition 1'), '1');
    await press(user, 'Save');
    expect(await dialog().findByText('Must not be below the limit')).toBeInTheDocument();
    await user.clear(textField('Recovery value of condition 1'));
    await user.type(textField('Recovery value of condition 1'), '4');
    expect(dialog().getByText(/^Clears at the first/)).toHaveTextContent(
      'no longer true with the limit Air temperature 4 °C.',
    );
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    expect(sentTo(server, paths.create)[0]).toMatchObject({ conditions: [{ value: 2, recovery: 4 }] });
  });
});

describe('the devices', () => {
  it('are a hundred at first; all others are searched on the server', async () => {
    const { user } = await openRuleForm();
    await user.click(fieldBox(/^Device source/));
    expect(await screen.findByText('The first 100 of 122. Type to find others.')).toBeInTheDocument();
    expect(askedOf(server, paths.devices).length).toBe(0);
    await user.type(fieldBox(/^Device source/), 'probe 119');
    await user.click(await screen.findByText('Probe 119 · PR-119', { selector: '.ant-select-item-option-content *' }));
    expect(
      dialog().getByText('Probe 119 · PR-119', {
        selector: '.ant-select-content-value, .ant-select-content *, .ant-select-content',
      }),
    ).toBeInTheDocument();
  });
});

describe('the notification period', () => {
  const day = (name: string) => dialog().getByLabelText<HTMLButtonElement>(name, { selector: 'button' });
  const pressed = () =>
    dialog()
      .getAllByRole('button', { pressed: true, hidden: true })
      .map((element) => element.textContent);
  const preset = (name: RegExp) => dialog().getByText(name, { selector: 'button' });

  it('must not begin after its end, and suggests the half hours of a night before choosing them', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    await user.selectOptions(fieldBox('Start'), '20:00');
    await user.selectOptions(fieldBox('End'), '07:00');
    expect(dialog().getByText('20:00–07:00 crosses midnight.')).toBeInTheDocument();
    await user.selectOptions(fieldBox('End'), '06:45');
    expect(
      dialog().getByText('20:00–06:45 crosses midnight and becomes 20:00–07:00, in whole half hours.'),
    ).toBeInTheDocument();
    await press(user, 'Save');
    expect(await dialog().findByText('Start time must not be after end time')).toBeInTheDocument();
    expect(fieldBox('Start')).toHaveFocus();
    expect(sentTo(server, paths.create)).toEqual([]);
    await user.click(
      dialog().getByRole('button', { name: 'Use these half hours: 20:00–24:00, 00:00–07:00', hidden: true }),
    );
    // The button has disappeared: the focus is on the half hours.
    expect(slot('00:00')).toHaveFocus();
    expect(dialog().getByText(`20:00–24:00, 00:00–07:00 · 22 of 48 half hours · ${tenantZone}`)).toBeInTheDocument();
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    const [{ timePeriods, startTime, weekdays }] = sentTo(server, paths.create) as [
      { timePeriods: number[]; startTime?: string; weekdays: number[] },
    ];
    expect(startTime).toBeUndefined();
    expect(weekdays).toEqual([]);
    expect(timePeriods).toEqual([
      ...Array.from({ length: 14 }, (_, i) => i),
      ...Array.from({ length: 8 }, (_, i) => 40 + i),
    ]);
  });

  it('is corrected if an end at midnight was entered as a beginning, with quarter hours too', async () => {
    const { user } = await openRuleForm();
    await user.selectOptions(fieldBox('Start'), '20:15');
    await user.selectOptions(fieldBox('End'), '00:00');
    expect(dialog().getByText('A day begins at 00:00 and ends at 24:00.')).toBeInTheDocument();
    await user.click(dialog().getByRole('button', { name: 'Use 20:15–24:00', hidden: true }));
    expect(fieldBox('End')).toHaveValue('24:00');
    expect(fieldBox('Start')).toHaveFocus();
  });

  it('has presets: a day, a night, and workdays, which keep the times', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    await user.click(preset(/^Night/));
    expect(preset(/^Night/)).toHaveTextContent('Night 20:00–06:00');
    expect(dialog().getByText(`20:00–24:00, 00:00–06:00 · 20 of 48 half hours · ${tenantZone}`)).toBeInTheDocument();
    await user.click(preset(/^Workdays/));
    expect(pressed()).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri']);
    expect(chosenSlots()).toHaveLength(20);
    expect(
      dialog().getByText(`Mon–Fri, 20:00–24:00, 00:00–06:00 · 20 of 48 half hours · ${tenantZone}`),
    ).toBeInTheDocument();
    expect(dialog().getByText('What is after midnight belongs to the new day.')).toBeInTheDocument();
    await user.click(preset(/^Day/));
    expect([fieldBox('Start').value, fieldBox('End').value]).toEqual(['06:00', '20:00']);
    expect(pressed()).toHaveLength(7);
    await user.click(preset(/^Workdays/));
    expect(dialog().getByText(`Mon–Fri, 06:00–20:00 · ${tenantZone}`)).toBeInTheDocument();
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    expect(sentTo(server, paths.create)[0]).toMatchObject({
      complexTime: 0,
      startTime: '06:00',
      endTime: '20:00',
      weekdays: [1, 2, 3, 4, 5],
    });
  });

  it('applies on chosen days, by clicks and by keyboard; the week begins as the language has it', async () => {
    const { user } = await openRuleForm();
    expect(pressed()).toEqual(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']);
    await user.click(day('Wednesday'));
    expect(pressed()).not.toContain('Wed');
    await user.keyboard('{ArrowRight} {End}{Enter}{ArrowRight}{Home}{ArrowLeft} ');
    expect(day('Sunday')).toHaveFocus();
    expect(pressed()).toEqual(['Mon', 'Tue', 'Fri']);
    // A single Tab stop for all of them.
    await user.tab();
    expect(day('Saturday')).not.toHaveFocus();
    expect(document.activeElement?.closest('[role="toolbar"]')).toBeNull();
  });

  it('requires a day', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    for (const name of ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']) {
      await user.click(day(name));
    }
    await press(user, 'Save');
    expect(await dialog().findByText('Choose at least one day')).toBeInTheDocument();
    await waitFor(() => expect(day('Saturday')).toHaveFocus());
    expect(dialog().getByLabelText('Days of the week')).toHaveAccessibleDescription('Choose at least one day');
    expect(sentTo(server, paths.create)).toEqual([]);
    await user.keyboard(' ');
    await press(user, 'Save');
    await waitFor(() => expect(sentTo(server, paths.create)).toHaveLength(1));
    expect(sentTo(server, paths.create)[0]).toMatchObject({ weekdays: [6] });
  });

  it('requires a half hour', async () => {
    const { user } = await openRuleForm();
    await fillRule(user);
    await pick(user, 'Custom');
    expect(dialog().getByText(`No half hour is chosen · ${tenantZone}`)).toBeInTheDocument();
    await press(user, 'Save');
    const [wrong] = await dialog().findAllByText('Choose at least one half hour');
    // Below the hours, it would be out of sight on a phone.
    const hours = dialog().getByRole('listbox', { name: 'Half hours of the day' });
    expect(hours.compareDocumentPosition(wrong as HTMLElement) & Node.DOCUMENT_POSITION_PRECEDING).toBeTruthy();
    expect(slot('00:00')).toHaveFocus();
  });

  it('is painted by a pointer: a click toggles one half hour, a stroke several', async () => {
    const { user } = await openRuleForm();
    await pick(user, 'Custom');
    const down = (clock: string) => fireEvent.pointerDown(slot(clock), { button: 0 });
    const over = (clock: string) => fireEvent.pointerEnter(slot(clock));
    const up = () => fireEvent.pointerUp(window);
    down('08:00');
    over('09:30');
    expect(chosenSlots()).toEqual([16, 17, 18, 19]);
    // The stroke has gone back: a half hour that it no longer covers is as before.
    over('08:30');
    expect(chosenSlots()).toEqual([16, 17]);
    up();
    over('12:00');
    expect(chosenSlots()).toEqual([16, 17]);
    down('08:30');
    over('08:00');
    up();
    expect(chosenSlots()).toEqual([]);
  });

  it('is painted by keyboard', async () => {
    const { user } = await openRuleForm();
    await pick(user, 'Custom');
    slot('00:00').focus();
    await user.keyboard('{ArrowRight}{ArrowDown} ');
    expect(slot('12:30')).toHaveFocus();
    expect(chosenSlots()).toEqual([25]);
    await user.keyboard('{Shift>}{ArrowRight}{ArrowRight}{/Shift}');
    expect(chosenSlots()).toEqual([25, 26, 27]);
    await user.keyboard('{End} {Home}{Shift>}{ArrowRight}{/Shift}');
    expect(chosenSlots()).toEqual([0, 1, 25, 26, 27, 47]);
    expect(dialog().getByText(/^23:30–24:00, 00:00–01:00, 12:30–14:00 · 6 of 48/)).toBeInTheDocument();
  });
});
