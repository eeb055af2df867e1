import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { askedOf, paths, sentTo } from '@/test/alarm';
import { farmZone } from '@/test/backend';
import { box, chosen, dialog, fill, freshServer, open, pick, press, said, server, slot, text } from '@/test/ruleForm';

freshServer();

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
    ).toEqual(['equals (=)', 'does not equal (≠)']);
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
    expect(dialog().getByText(`18:00–24:00, 00:00–07:30 · 27 of 48 half hours · ${farmZone}`)).toBeInTheDocument();
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
    expect(dialog().getByText(`No half hour is chosen · ${farmZone}`)).toBeInTheDocument();
    await press(user, 'Save');
    const [wrong] = await dialog().findAllByText('Choose at least one half hour');
    // Below the hours a phone would not show it.
    const hours = dialog().getByRole('listbox', { name: 'Half hours of the day' });
    expect(hours.compareDocumentPosition(wrong as HTMLElement) & Node.DOCUMENT_POSITION_PRECEDING).toBeTruthy();
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
