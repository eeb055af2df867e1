import './DataPage';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useReach } from '@/lib/offline/reach';
import { usePreferences } from '@/lib/preferences';
import { card, open, path, place } from '@/test/dataCentre';
import { noAnswer } from '@/test/farm';

const lines = 'time-interval-data';

beforeEach(() => window.history.replaceState(null, '', '/'));

describe('with the data saver', () => {
  beforeEach(() => usePreferences.setState({ saveData: true }));

  it('the line of a day is asked for once somebody taps, and only that one', async () => {
    const given = place();
    const { user } = await open(given);
    expect(given.asked(lines)).toHaveLength(0);
    await user.click(card('Orchard mast').getByRole('button', { name: 'Show the day of Orchard mast' }));
    await waitFor(() => expect(given.asked(lines).length).toBeGreaterThan(0));
    expect([...new Set(given.asked(lines).map((query) => query.get('deviceName')))]).toEqual(['WS-1']);
    expect(card('Lower mast').getByRole('button', { name: 'Show the day of Lower mast' })).toBeVisible();
  });

  it('a camera is not even asked what it shows until somebody taps', async () => {
    const given = place();
    const { user } = await open(given);
    expect(given.asks).toEqual([]);
    await user.click(card('Gate camera').getByRole('button', { name: 'Show the picture' }));
    expect(await screen.findByTitle('Picture of Gate camera')).toBeVisible();
    expect(given.asks).toEqual(['CAM-4']);
  });

  it('turned off, everything comes', async () => {
    const given = place();
    await open(given);
    act(() => usePreferences.setState({ saveData: false }));
    await waitFor(() => expect(given.asked(lines).length).toBeGreaterThan(0));
    expect(await screen.findByTitle('Picture of Gate camera')).toBeVisible();
  });
});

describe('while the server is not heard of', () => {
  it('each card says what time it is as of, and stops when it is heard again', async () => {
    await open(place());
    expect(screen.queryByText(/^As of/)).toBeNull();
    act(() => useReach.setState({ reach: 'silent' }));
    expect(card('Orchard mast').getByText(/^As of \d\d:\d\d$/)).toBeVisible();
    expect(card('New probe').getByText(/^As of \d\d:\d\d$/)).toBeVisible();
    expect(card('Orchard mast').queryByText(/^Read/)).toBeNull();
    act(() => useReach.setState({ reach: 'online' }));
    expect(card('Orchard mast').getByText(/^Read .* ago/)).toBeVisible();
  });

  it('without a network the page says what is not kept, and tells nothing twice', async () => {
    const given = place();
    const { client } = await open(given);
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    given.server.broken.set(`${path}/get-group-device-list`, noAnswer);
    await act(() => client.refetchQueries({ queryKey: ['devices', 'groups'] }));
    act(() => useReach.setState({ reach: 'offline' }));
    expect(screen.queryByText('The server does not answer')).toBeNull();
    expect(screen.queryByText('None of this is kept on this device')).toBeNull();
    await act(() => client.resetQueries({ queryKey: ['devices', 'groups'] }));
    act(() => useReach.setState({ reach: 'offline' }));
    expect(await screen.findByText('None of this is kept on this device')).toBeVisible();
  });
});
