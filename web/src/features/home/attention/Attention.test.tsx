import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFeedback } from '@/lib/feedback/feedback';
import { noteNetworkChange } from '@/lib/offline/reachability';
import { homeServer, openHome } from '@/test/homeServer';
import { ok, onPut } from '@/test/server';
import type { Attention, AttentionItem } from './queries';

let home: ReturnType<typeof homeServer>;
const now = Date.now();

const frost: AttentionItem = {
  kind: 'alarm',
  deviceName: 'WS-2',
  noteName: 'Lower mast',
  groupName: 'North orchard',
  onlineState: 1,
  since: now - 2 * 3_600_000,
  startTime: now - 3_600_000,
  holdsSince: now - 2 * 3_600_000,
  noticeId: 7,
  title: 'Frost',
  alarmLevel: 2,
  identifier: 'airTemperature',
  reading: { value: -1.4, time: now - 60_000, unit: '°C', name: 'Air temperature', precision: 1 },
  limit: { subconditions: '<', value: 0 },
  trend: { change: -0.8, span: 3_600_000 },
};
const silent = (deviceName: string): AttentionItem => ({
  kind: 'silent',
  deviceName,
  noteName: '',
  groupName: '',
  onlineState: 0,
  since: now - 3_600_000,
  cause: { kind: 'batteryLow', since: now - 3_600_000, value: 3.38, unit: 'V', precision: 2 },
});
const attention = (items: AttentionItem[], change: Partial<Attention> = {}): Attention => ({
  alarmCount: items.filter(({ kind }) => kind === 'alarm').length,
  silentCount: items.filter(({ kind }) => kind === 'silent').length,
  batteryCount: items.filter(({ kind }) => kind === 'battery').length,
  items,
  time: now,
  ...change,
});

const region = () => screen.getByRole('region', { name: /Need/i });
const rows = () => within(region()).queryAllByRole('listitem');

const send = (name: string, data: object) =>
  act(() => home.live.newest()?.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));

beforeEach(() => {
  home = homeServer();
});

describe('what needs a person now', () => {
  it('is one quiet line in a calm hour', async () => {
    await openHome(home);
    expect(region()).toHaveTextContent(/^Nothing needs you nowchecked \d/);
    expect(rows()).toHaveLength(0);
    expect(screen.getByRole('heading', { name: 'Orchard mast' })).toBeVisible();
  });

  it('says what, where, how much, which way, since when, and what to do', async () => {
    home.server.attention = attention([frost]);
    await openHome(home);
    const [row] = rows();
    expect(row).toHaveTextContent('Serious');
    expect(row).toHaveTextContent(/−1.4 °C.*falling, −0.8 °C in 1 h.*limit < 0 °C.*Since .+, noticed /);
    const within1 = within(row as HTMLElement);
    expect(within1.getByRole('link', { name: 'Frost' })).toHaveAttribute('href', '/inform?id=7');
    expect(within1.getByRole('link', { name: 'History of Lower mast' })).toHaveAttribute(
      'href',
      '/analysis?devices=WS-2&signs=airTemperature&range=day&alarm=7',
    );
    expect(within1.getByText('North orchard')).toBeVisible();
    expect(within1.getByText('Online')).toBeInTheDocument();
  });

  it('says a rise with its sign and span, and nothing without a trend', async () => {
    const moist = { value: 17.4, time: now, unit: '%', name: 'Soil moisture', precision: 1 };
    const rising = { ...frost, noticeId: 8, reading: moist, trend: { change: 0.8, span: 86_400_000 } };
    home.server.attention = attention([rising, { ...frost, trend: undefined }]);
    await openHome(home);
    expect(rows()[0]).toHaveTextContent('17.4% rising, +0.8% in 24 h');
    expect(rows()[1]).not.toHaveTextContent(/rising|falling|steady/);
  });

  it('selects the worst device, and keeps the selection when another becomes worse', async () => {
    home.server.attention = attention([frost]);
    await openHome(home);
    expect(screen.getByRole('heading', { name: 'Lower mast' })).toBeVisible();
    home.server.attention = attention([{ ...frost, deviceName: 'WS-1', noteName: 'Orchard mast', noticeId: 8 }, frost]);
    send('notice', {});
    await waitFor(() => expect(rows()).toHaveLength(2));
    expect(screen.getByRole('heading', { name: 'Lower mast' })).toBeVisible();
  });

  it('shows a reading of a listed device at once', async () => {
    home.server.attention = attention([frost]);
    await openHome(home);
    send('reading', { deviceName: 'WS-2', time: now, values: { airTemperature: -2.2 } });
    await waitFor(() => expect(rows()[0]).toHaveTextContent('−2.2 °C'));
  });

  it('shows three things until the others are asked for, and says how many the list leaves out', async () => {
    home.server.attention = attention(['A', 'B', 'C', 'D', 'E'].map(silent), { silentCount: 9000 });
    const { user } = await openHome(home);
    expect(rows()).toHaveLength(3);
    expect(rows()[0]).toHaveTextContent('its battery was at 3.38 V');
    expect(rows()[0]).toHaveTextContent('Offline');
    await user.click(within(region()).getByRole('button', { name: 'Show all 5' }));
    expect(rows()).toHaveLength(5);
    expect(region()).toHaveTextContent('9,000 silent devices');
    expect(region()).toHaveTextContent('8,995 more');
  });

  it('names rules that run but reach nobody, even in a calm hour', async () => {
    home.server.attention = attention([], { unreached: { count: 3, alarmName: 'Frost' } });
    await openHome(home);
    expect(region()).toHaveTextContent(/^Needs you now/);
    const link = () => within(region()).getByRole('link');
    expect(link()).toHaveTextContent('“Frost” and 2 other rules run, but reach nobody');
    expect(link()).toHaveAttribute('href', '/alarm');
    home.server.attention = attention([], { unreached: { count: 1, alarmName: 'Frost' } });
    send('change', { of: ['channel'] });
    await waitFor(() => expect(link()).toHaveTextContent('“Frost” runs, but reaches nobody'));
  });

  it('acknowledges an alarm', async () => {
    home.server.attention = attention([frost]);
    let body: unknown;
    onPut('/admin-api/client/pc/alarm-notice/acknowledge', async ({ request }) => {
      body = await request.json();
      return ok(true);
    });
    const { user } = await openHome(home);
    await user.click(within(region()).getByRole('button', { name: 'I am on it: Frost, Lower mast' }));
    const dialog = await screen.findByRole('dialog');
    await user.click(within(dialog).getByRole('button', { name: 'I am on it' }));
    await waitFor(() => expect(body).toEqual({ id: 7, remindHours: 4 }));
  });

  it('says without a network that an acknowledgement is not sent', async () => {
    home.server.attention = attention([frost]);
    await openHome(home);
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    // At once: a late answer to the page's own calls would count as a network.
    act(noteNetworkChange);
    fireEvent.click(within(region()).getByRole('button', { name: 'I am on it: Frost, Lower mast' }));
    expect(useFeedback.getState().toasts.map(({ title }) => title)).toContain('Not sent. Others are still told.');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('leads to the dialog that ends an alarm, where a person may end it', async () => {
    home.server.attention = attention([{ ...frost, mayResolve: true }]);
    await openHome(home);
    const link = within(region()).getByRole('link', { name: 'Mark as solved: Frost, Lower mast' });
    expect(link).toHaveAttribute('href', '/inform?id=7&solve=1');
  });

  it('does not offer to end an alarm that only its readings may end', async () => {
    home.server.attention = attention([{ ...frost, mayResolve: false }]);
    await openHome(home);
    expect(within(region()).queryByRole('link', { name: /^Mark as solved/ })).toBeNull();
  });
});
