import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { deviceServer, openDevices, paths } from '@/test/deviceServer';
import { ok, refused } from '@/test/server';
import { device, dewPoint, model } from '@/test/telemetryServer';

let server: ReturnType<typeof deviceServer>;

const hour = 3_600_000;
const sheet = () => screen.getByRole('dialog', { name: 'Orchard mast' });
const part = (name: string) => within(within(sheet()).getByRole('region', { name }));
const open = () => openDevices(server, '/device?device=WS-1');
const dayName = (time: number) => {
  const date = new Date(time);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;
};

beforeEach(() => {
  server = deviceServer();
});

describe('the sheet of a device', () => {
  it('opens from its row and shows the device’s names', async () => {
    const { user, router } = await openDevices(server);
    await user.click(screen.getByRole('link', { name: 'Orchard mast' }));
    expect(await screen.findByRole('dialog', { name: 'Orchard mast' })).toHaveFocus();
    expect(router.state.location.search).toMatchObject({ device: 'WS-1' });
    for (const [name, value] of [
      ['Device name', 'WS-1'],
      ['Serial', 'A-1'],
      ['Model', 'Weather mastweather-mast'],
      ['Scene', 'North orchard'],
      ['Position', 'no position'],
    ] as const) {
      expect(within(sheet()).getByText(name).parentElement).toHaveTextContent(`${name}${value}`);
    }
    expect(within(sheet()).getAllByText('Online').length).toBeGreaterThan(0);
  });

  it('shows open alarms and links to them', async () => {
    Object.assign(server.devices[0] ?? {}, { alarmLevel: 1, openAlarms: 2 });
    await open();
    const own = within(await screen.findByRole('dialog', { name: 'Orchard mast' }));
    expect(own.getByTitle('Pending alarm')).toHaveTextContent('Important');
    expect(own.getByRole('link', { name: '2 pending' })).toHaveAttribute('href', '/inform?devices=WS-1&status=0');
  });

  it('opens by a click anywhere in the row', async () => {
    const { user, router } = await openDevices(server);
    await user.click(screen.getByRole('cell', { name: 'WS-2' }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ device: 'WS-2' }));
  });

  it('fetches a device that is not on the page by name', async () => {
    server.devices.push(device({ id: 77, deviceName: '4711', noteName: 'Far mast', groupId: 0 }));
    await openDevices(server, '/device?q=orchard&device=4711');
    expect(await screen.findByRole('dialog', { name: 'Far mast' })).toBeVisible();
  });

  it('says that there is no such device', async () => {
    await openDevices(server, '/device?device=NOPE');
    expect(await within(screen.getByRole('dialog', { name: 'NOPE' })).findByText('Not in this farm')).toBeVisible();
  });

  it('closes by Escape and by its close button', async () => {
    const { user, router } = await open();
    await user.click(within(sheet()).getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(router.state.location.search.device).toBeUndefined());
    await user.click(screen.getByRole('link', { name: 'Orchard mast' }));
    await screen.findByRole('dialog');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.getByRole('link', { name: 'Orchard mast' })).toHaveFocus();
  });

  it('shows the latest readings and links to their history and analysis', async () => {
    await open();
    expect(part('Readings').getByText('Air temperature').closest('li')).toHaveTextContent(/3\.4\s°C/);
    expect(part('Readings').getByText('Relative humidity').closest('li')).toHaveTextContent(/91%/);
    expect(part('Readings').getByRole('link', { name: 'History' })).toHaveAttribute(
      'href',
      '/data?device=WS-1&history=1',
    );
    expect(part('Readings').getByRole('link', { name: 'Open in analysis' })).toHaveAttribute(
      'href',
      '/analysis?devices=WS-1',
    );
  });
});

describe('a silent device', () => {
  const silent = (
    cause: Partial<NonNullable<typeof server.silence>> & { kind: 'neverConnected' | 'secretRefused' },
  ) => {
    Object.assign(server.devices[0] ?? {}, { onlineState: 0, lastContact: undefined });
    server.silence = { since: Date.now() - 8 * hour, ...cause };
  };

  it('says why it is silent, and what to do', async () => {
    silent({ kind: 'neverConnected' });
    await open();
    expect(part('Why it is silent').getByText(/^It has not reported once since it was added/)).toBeVisible();
    expect(part('Why it is silent').getByText(/^Check its power and reception/)).toBeVisible();
    expect(part('Why it is silent').queryByRole('button')).toBeNull();
  });

  it('offers a new secret if it still uses a former one', async () => {
    const lastAttempt = Date.now() - hour;
    silent({ kind: 'secretRefused', attempts: 1, lastAttempt, secretChanged: lastAttempt - hour });
    const { user } = await open();
    const said = part('Why it is silent').getByText(/^It still uses a secret that has not been valid since/);
    expect(said).toHaveTextContent(/: 1 sign-in was refused/);
    await user.click(part('Why it is silent').getByRole('button', { name: 'New secret' }));
    expect(await screen.findByRole('dialog', { name: 'Make a new secret?' })).toBeVisible();
  });

  it('that is back says nothing of it', async () => {
    silent({ kind: 'neverConnected' });
    Object.assign(server.devices[0] ?? {}, { onlineState: 1 });
    await open();
    expect(part('Readings').getByText('Air temperature')).toBeVisible();
    expect(within(sheet()).queryByRole('region', { name: 'Why it is silent' })).toBeNull();
  });
});

describe('a derived reading', () => {
  it('explains itself in its row, for the keyboard too; a measured one does not', async () => {
    server.base.model = [...model, dewPoint];
    const { user } = await open();
    const mark = await part('Readings').findByRole('button', { name: 'How Dew point is computed' });
    expect(part('Readings').getByText('Dew point').closest('li')).toContainElement(mark);
    expect(part('Readings').getAllByRole('button', { name: /^How/ })).toHaveLength(1);
    act(() => part('Readings').getByRole('button', { name: 'Calibrate Relative humidity' }).focus());
    await user.tab();
    expect(mark).toHaveFocus();
    const note = await screen.findByRole('tooltip');
    expect(note).toHaveTextContent('Computed from Air temperature and Relative humidity');
  });
});

describe('presence changes', () => {
  it('are listed newest first, each with its duration', async () => {
    const now = Date.now();
    server.presence = Array.from({ length: 12 }, (_, i) => ({
      time: now - (i + 1) * 2 * hour - 1000,
      onlineState: i % 2 === 0 ? 1 : 0,
    }));
    const { user } = await open();
    const items = () => part('When it was online').getAllByRole('listitem');
    expect(items()).toHaveLength(10);
    expect(items()[0]).toHaveTextContent(/^Online.*for 2 h until now$/);
    expect(items()[1]).toHaveTextContent(/^Offline.*for 2 h$/);
    await user.click(part('When it was online').getByRole('button', { name: 'Show earlier' }));
    await waitFor(() => expect(items()).toHaveLength(12));
    expect(part('When it was online').queryByRole('button')).toBeNull();
  });

  it('agree with the last contact above on how long the device has been offline', async () => {
    const now = Date.now();
    server.devices = server.devices.map((device) =>
      device.deviceName === 'WS-1'
        ? {
            ...device,
            onlineState: 0,
            offlineAfter: hour,
            lastContact: now - 11 * hour - 1000,
            offlineTime: now - 10 * hour - 1000,
          }
        : device,
    );
    server.presence = [
      { time: now - 10 * hour - 1000, onlineState: 0 },
      { time: now - 20 * hour - 1000, onlineState: 1 },
    ];
    await open();
    const items = part('When it was online').getAllByRole('listitem');
    expect(items[0]).toHaveTextContent(/^Offline.*for 11 h until now$/);
    expect(items[1]).toHaveTextContent(/^Online.*for 9 h$/);
    expect(screen.getAllByText('Offline 11 h').length).toBeGreaterThan(0);
  });

  it('say that there are none, and follow the live stream', async () => {
    await open();
    expect(part('When it was online').getByText('Nothing has been recorded yet.')).toBeVisible();
    const time = Date.now();
    server.presence = [{ time, onlineState: 0 }];
    act(() =>
      server.live
        .newest()
        ?.write(`event: presence\ndata: ${JSON.stringify({ deviceName: 'WS-1', onlineState: 0, time })}\n\n`),
    );
    expect(await part('When it was online').findByText('Offline')).toBeVisible();
  });
});

describe('what arrived', () => {
  it('is counted, with the last refusal and the counts of each day', async () => {
    server.diagnostics = {
      received: 45_123,
      values: 90_244,
      refused: 3,
      lastRefusal: {
        time: Date.now() - 60_000,
        identifier: '',
        reason: 'unreadable',
        text: 'The message is not readable JSON',
      },
      clockAhead: 0,
      days: [
        { day: '2026-11-20', messages: 1440, values: 2880, refused: 0 },
        { day: '2026-11-21', messages: 700, values: 1397, refused: 3 },
      ],
    };
    const { user } = await open();
    const intake = part('What arrived and what was refused');
    expect(intake.getByText('45,123')).toBeVisible();
    expect(intake.getByText('90,244')).toBeVisible();
    expect(intake.getByText(/The message is not readable JSON\./)).toHaveTextContent('1 min ago');
    await user.click(intake.getByText('By day, of the last 31'));
    const rows = intake.getAllByRole('row').slice(1);
    expect(rows.map(({ textContent }) => textContent)).toEqual(['2026-11-217001,3973', '2026-11-201,4402,8800']);
  });

  it('tells of a foreign clock, without a warning', async () => {
    const text = 'The time of arrival counts';
    const lastRefusal = { time: Date.now() - 60_000, identifier: 'time', reason: 'networkClock' as const, text };
    server.diagnostics = { ...server.diagnostics, refused: 3, lastRefusal };
    await open();
    const intake = part('What arrived and what was refused');
    expect(await intake.findByText(/“time”: The time of arrival counts\./)).toHaveTextContent('1 min ago');
    expect(screen.getAllByText(/The time of arrival counts/)).toHaveLength(1);
  });

  it('says that nothing was refused and nothing arrived', async () => {
    await open();
    const intake = part('What arrived and what was refused');
    expect(intake.getByText('Nothing was refused.')).toBeVisible();
    expect(intake.getByText('Nothing arrived in the last 31 days.')).toBeVisible();
  });
});

describe('the device’s clock', () => {
  it('is reported as ahead, by how much, while the newest reading is', async () => {
    server.diagnostics = { ...server.diagnostics, clockAhead: 590_000 };
    await open();
    expect(await screen.findByText('The device’s clock is 9 min 50 s ahead')).toBeVisible();
  });

  it('is not mentioned while it deviates by less than a minute', async () => {
    server.diagnostics = { ...server.diagnostics, clockAhead: 60_000 };
    await open();
    expect(await part('What arrived and what was refused').findByText('Nothing was refused.')).toBeVisible();
    expect(screen.queryByText(/clock is/)).toBeNull();
  });
});

describe('the days with readings', () => {
  it('are counted, and each day is shown by pointer and by keys', async () => {
    const midnight = new Date(new Date().setHours(0, 0, 0, 0)).getTime();
    const yesterday = midnight - 12 * hour;
    server.coverage = [{ day: dayName(yesterday), frames: 1440, first: midnight - 23 * hour, last: midnight - hour }];
    await open();
    const days = part('Days with readings');
    expect(days.getByText('On 1 of the last 400 days')).toBeVisible();
    const strip = days.getByRole('slider', { name: 'Days with readings' });
    expect(strip).toHaveAttribute('aria-valuenow', '400');
    expect(strip).toHaveAttribute('aria-valuetext', expect.stringMatching(/: no readings$/));
    fireEvent.keyDown(strip, { key: 'ArrowUp' });
    expect(strip).toHaveAttribute('aria-valuetext', expect.stringMatching(/: 1,440 measurements, 01:00 to 23:00$/));
    expect(days.getByText(/1,440 measurements/)).toBeVisible();
    fireEvent.keyDown(strip, { key: 'Home' });
    expect(strip).toHaveAttribute('aria-valuenow', '1');
    expect(strip.querySelectorAll('rect')).toHaveLength(400);
  });
});

describe('the first reading of a day', () => {
  it('shows its day; further readings of the day cause no refetch', async () => {
    let asks = 0;
    server.answers.set(paths.coverage, () => {
      asks += 1;
      return ok(server.coverage as never);
    });
    await open();
    const days = part('Days with readings');
    expect(days.getByText('On 0 of the last 400 days')).toBeVisible();
    const before = asks;
    const time = Date.now();
    const reads = () =>
      act(() =>
        server.live
          .newest()
          ?.write(`event: reading\ndata: ${JSON.stringify({ deviceName: 'WS-1', time, values: { rain: 1 } })}\n\n`),
      );
    server.coverage = [{ day: dayName(time), frames: 1, first: time, last: time }];
    for (let i = 0; i < 5; i++) reads();
    expect(await days.findByText('On 1 of the last 400 days', undefined, { timeout: 3000 })).toBeVisible();
    reads();
    await new Promise((turn) => setTimeout(turn, 800));
    expect(asks).toBe(before + 1);
  });
});

describe('a section whose query fails', () => {
  it('shows the error in its place and can be retried there', async () => {
    server.answers.set(paths.connection, () => refused(500, 'Something inside the server failed'));
    const { user } = await open();
    const connection = part('Connection');
    expect(await connection.findByRole('alert')).toHaveTextContent('Something inside the server failed');
    expect(part('Readings').getByText('Air temperature')).toBeVisible();
    server.answers.clear();
    await user.click(connection.getByRole('button', { name: 'Retry' }));
    expect(await connection.findByText('farm.example')).toBeVisible();
  });
});
