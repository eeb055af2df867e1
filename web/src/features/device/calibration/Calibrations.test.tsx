import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { components } from '@/api/schema.gen';
import { findDialog } from '@/test/addServer';
import { deviceServer, openDevices, paths } from '@/test/deviceServer';
import { elif, toasts } from '@/test/profileServer';
import { ok, onGet, refused } from '@/test/server';
import { device, dewPoint, weather } from '@/test/telemetryServer';

let server: ReturnType<typeof deviceServer>;
const now = Date.now();

const calibration = (change: Partial<components['schemas']['Calibration']>): components['schemas']['Calibration'] => ({
  id: 1,
  yeuSign: 'airTemperature',
  name: 'Air temperature',
  unit: '°C',
  precision: 1,
  fromTime: now - 3_600_000,
  kind: 'offset',
  offset: 0.5,
  note: '',
  by: 'Ada',
  createTime: now,
  swap: false,
  ...change,
});

const property = { functionName: '', yeuUrl: '', elementData: '', accessMode: 'r' as const };

/** From now on the latest temperature is corrected. */
function correctTemperature() {
  const { airTemperature } = weather(20.9, now);
  const latest = server.devices[0]?.lastData[0];
  if (latest && airTemperature) latest.airTemperature = { ...airTemperature, raw: 21.4 };
}

beforeEach(() => {
  const latest = weather(21.4, now - 60_000);
  server = deviceServer([device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', lastData: [latest] })]);
  server.base.model = [
    {
      ...property,
      identifier: 'airTemperature',
      yeuName: 'Air temperature',
      elementUnit: '°C',
      dataType: 'number',
      precision: 1,
    },
    { ...property, identifier: 'airHumidity', yeuName: 'Relative humidity', elementUnit: '%', dataType: 'number' },
    { ...property, identifier: 'pump', yeuName: 'Pump', elementUnit: '', dataType: 'boolean' },
    dewPoint,
  ];
});

const part = async (name: string) => within(await screen.findByRole('region', { name }));
const open = () => openDevices(server, '/device?device=WS-1');
const sent = (path: string) => server.sent.filter((call) => call.path === path).map(({ body }) => body);

async function calibrate(name = 'Calibrate Air temperature') {
  const opened = await open();
  await opened.user.click((await part('Readings')).getByRole('button', { name }));
  const dialog = within(await findDialog('Calibrate Orchard mast'));
  const preview = () => dialog.getByRole('status', { name: 'With the latest reading' });
  await waitFor(() => expect(preview()).toHaveTextContent(/21\.4|91/));
  const fill = async (label: string, text: string) => {
    const field = dialog.getByRole('textbox', { name: new RegExp(label) });
    await opened.user.clear(field);
    await opened.user.type(field, text);
  };
  const save = () => opened.user.click(dialog.getByRole('button', { name: 'Calibrate' }));
  return { ...opened, dialog, preview, fill, save };
}

describe('the dialog that calibrates', () => {
  it('is offered for measured numbers only', async () => {
    await open();
    const names = (await part('Readings'))
      .getAllByRole('button', { name: /^Calibrate/ })
      .map((button) => button.getAttribute('aria-label'));
    expect(names).toEqual(['Calibrate Air temperature', 'Calibrate Relative humidity']);
  });

  it('is not offered to a viewer, who sees the list', async () => {
    onGet('/app-api/member/user/get', () => ok({ ...elif, role: 'viewer' }));
    server.calibrations = [calibration({})];
    await open();
    const list = await part('Calibrations');
    expect(await list.findByText('+0.5 °C')).toBeVisible();
    expect(list.queryByRole('button')).toBeNull();
    expect(screen.queryByRole('button', { name: /^Calibrate/ })).toBeNull();
  });

  it('shows what an offset makes of the latest reading, and sends it', async () => {
    const { dialog, preview, fill, save } = await calibrate();
    expect(dialog.getByRole('combobox', { name: /Attribute/ })).toHaveValue('airTemperature');
    await fill('Offset', '-0.5');
    // The calibration begins after the reading.
    expect(preview()).toHaveTextContent('21.4 °C would be 20.9 °C from then on');
    const before = Date.now();
    await save();
    await waitFor(() => expect(sent(paths.calibrate)).toHaveLength(1));
    const [body] = sent(paths.calibrate) as [{ fromTime: number }];
    expect(body).toMatchObject({ deviceName: 'WS-1', yeuSign: 'airTemperature', kind: 'offset', offset: -0.5 });
    expect(body.fromTime).toBeLessThanOrEqual(before);
    expect(body.fromTime).toBeGreaterThan(before - 120_000);
    await waitFor(() => expect(toasts()).toMatchObject([{ tone: 'success', title: 'Calibration saved' }]));
  });

  it('begins with the number as it arrived where the latest is corrected already', async () => {
    correctTemperature();
    const { preview, fill } = await calibrate();
    await fill('Offset', '1');
    expect(preview()).toHaveTextContent(/21\.4 °C (becomes|would be) 22\.4 °C/);
  });

  it('shows the gain of two points, and why some are refused', async () => {
    const { user, dialog, preview, fill, save } = await calibrate();
    await user.click(dialog.getByText('Two points'));
    await fill('Shown 1', '0');
    await fill('Right 1', '1');
    await fill('Shown 2', '0');
    expect(preview()).toHaveTextContent('The sensor showed the same at both points');
    await fill('Right 2', '21');
    expect(dialog.getByRole('textbox', { name: /Shown 2/ })).toHaveAccessibleDescription(/showed the same/);
    expect(preview()).not.toHaveTextContent('The sensor showed the same');
    await fill('Shown 2', '20');
    expect(preview()).toHaveTextContent('21.4 °C would be 22.4 °C from then on');
    expect(preview()).toHaveTextContent('Gain 1');
    await fill('Right 2', '2000');
    await save();
    expect(preview()).not.toHaveTextContent('The gain must be');
    expect(dialog.getByRole('textbox', { name: /Shown 2/ })).toHaveAccessibleDescription(
      'The gain must be from 0.1 to 10: check the four numbers',
    );
    expect(sent(paths.calibrate)).toEqual([]);
  });

  it('sends no numbers for none, and says that readings stay', async () => {
    const { user, dialog, preview, save } = await calibrate();
    await user.click(dialog.getByText('None'));
    expect(preview()).toHaveTextContent('21.4 °C stays as it arrived');
    await save();
    await waitFor(() => expect(sent(paths.calibrate)).toHaveLength(1));
    expect(sent(paths.calibrate)[0]).not.toHaveProperty('offset');
    expect(sent(paths.calibrate)[0]).toMatchObject({ kind: 'none' });
  });

  it('shows a refusal of the server at its field, and others above', async () => {
    const { dialog, fill, save } = await calibrate();
    server.answers.set(paths.calibrate, () =>
      refused(601, 'Since: this attribute has a calibration of that time already'),
    );
    await fill('Offset', '1');
    await save();
    await waitFor(() =>
      expect(dialog.getByLabelText('Since', { exact: false })).toHaveAccessibleDescription(
        'this attribute has a calibration of that time already',
      ),
    );
    // The same once more would be taken for a second press of the button.
    await fill('Offset', '2');
    server.answers.set(paths.calibrate, () => refused(601, 'this attribute has 100 calibrations'));
    await save();
    expect(await dialog.findByRole('alert')).toHaveTextContent('This attribute has 100 calibrations');
  });
});

describe('the list of calibrations', () => {
  it('says what calibrations are for while there is none', async () => {
    await open();
    const list = await part('Calibrations');
    expect(await list.findByText(/A calibration corrects what a sensor shows/)).toBeVisible();
  });

  it('shows each one, and undoes one once that is confirmed', async () => {
    server.calibrations = [
      calibration({ id: 4, kind: 'none', swap: true }),
      calibration({ id: 3, kind: 'twoPoint', raw1: 4.1, true1: 4, raw2: 7.2, true2: 7, note: 'buffer solutions' }),
      calibration({ id: 2, kind: 'none' }),
      calibration({ id: 1, undoneBy: 'Cem', undoTime: now }),
    ];
    const { user } = await open();
    const list = await part('Calibrations');
    const rows = await list.findAllByRole('listitem');
    expect(rows[0]).toHaveTextContent('Air temperature ended, the device was swapped');
    expect(rows[1]).toHaveTextContent(/4\.1 → 4, 7\.2 → 7since .* · Adabuffer solutions/);
    expect(rows[2]).toHaveTextContent('not corrected');
    expect(rows[3]).toHaveTextContent(/\+0\.5 °C.*Undone by Cem/);
    expect(list.getAllByRole('button', { name: /^Undo/ })).toHaveLength(2);
    await user.click(within(rows[1] as HTMLElement).getByRole('button', { name: /^Undo/ }));
    const question = await findDialog('Undo the calibration of Air temperature?');
    expect(question).toHaveTextContent('otherwise as they arrived');
    await user.click(within(question).getByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(sent(paths.undoCalibration)).toEqual([{ id: 3 }]));
    expect(await list.findByText(/Undone by Elif/)).toBeVisible();
  });

  it('has pages', async () => {
    server.calibrations = Array.from({ length: 12 }, (_, i) => calibration({ id: 12 - i }));
    const { user } = await open();
    const list = await part('Calibrations');
    expect(await list.findAllByRole('listitem')).toHaveLength(10);
    await user.click(list.getByRole('button', { name: 'Show earlier' }));
    await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(12));
  });
});

it('marks a corrected reading, with what the sensor shows', async () => {
  correctTemperature();
  const { user } = await open();
  const readings = await part('Readings');
  const mark = await readings.findByRole('button', { name: /^Corrected; the sensor shows 21\.4\s°C$/ });
  expect(mark.closest('li')).toHaveTextContent(/20\.9\s°C/);
  expect(readings.getAllByRole('button', { name: /^Corrected/ })).toHaveLength(1);
  await user.hover(mark);
  expect(await screen.findByRole('tooltip')).toHaveTextContent('Corrected; the sensor shows 21.4 °C');
});
