import './DataPage';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { useReachability } from '@/lib/offline/reachability';
import { usePreferences } from '@/lib/storage/preferences';
import { card, dataCentreServer, openDataCentre } from '@/test/dataCentreServer';
import { withoutNetwork } from '@/test/server';

const lines = 'time-interval-data';

beforeEach(() => window.history.replaceState(null, '', '/'));

describe('with the data saver', () => {
  beforeEach(() => usePreferences.setState({ saveData: true }));

  it('fetches the chart of a day only after a tap, and only that one', async () => {
    const centre = dataCentreServer();
    const { user } = await openDataCentre(centre);
    expect(centre.asked(lines)).toHaveLength(0);
    const show = card('Orchard mast').getByRole('button', { name: 'Show the day of Orchard mast' });
    await user.click(show);
    expect(show).not.toBeInTheDocument();
    await waitFor(() => expect(centre.asked(lines).length).toBeGreaterThan(0));
    expect([...new Set(centre.asked(lines).map((query) => query.get('deviceName')))]).toEqual(['WS-1']);
    expect(card('Lower mast').getByRole('button', { name: 'Show the day of Lower mast' })).toBeVisible();
  });

  it('does not query a camera before a tap', async () => {
    const centre = dataCentreServer();
    const { user } = await openDataCentre(centre);
    expect(centre.asks).toEqual([]);
    await user.click(card('Gate camera').getByRole('button', { name: 'Show the picture' }));
    expect(await screen.findByTitle('Picture of Gate camera')).toBeVisible();
    expect(centre.asks).toEqual(['CAM-4']);
  });

  it('fetches everything once it is turned off', async () => {
    const centre = dataCentreServer();
    await openDataCentre(centre);
    act(() => usePreferences.setState({ saveData: false }));
    await waitFor(() => expect(centre.asked(lines).length).toBeGreaterThan(0));
    expect(await screen.findByTitle('Picture of Gate camera')).toBeVisible();
  });
});

describe('while the server does not answer', () => {
  it('shows on each card as of when it is, until the server answers again', async () => {
    await openDataCentre(dataCentreServer());
    expect(screen.queryByText(/^As of/)).toBeNull();
    act(() => useReachability.setState({ reach: 'silent' }));
    expect(card('Orchard mast').getByText(/^As of \d\d:\d\d$/)).toBeVisible();
    expect(card('New probe').getByText(/^As of \d\d:\d\d$/)).toBeVisible();
    expect(card('Orchard mast').queryByText(/^Read/)).toBeNull();
    act(() => useReachability.setState({ reach: 'online' }));
    expect(card('Orchard mast').getByText(/^Read .* ago/)).toBeVisible();
  });

  it('says without a network what is not stored, and shows no message twice', async () => {
    const centre = dataCentreServer();
    const { client } = await openDataCentre(centre);
    withoutNetwork();
    await act(() => client.refetchQueries({ queryKey: ['devices', 'groups'] }));
    expect(useReachability.getState().reach).toBe('offline');
    expect(screen.queryByText('The server does not answer')).toBeNull();
    expect(screen.queryByText('None of this is kept on this device')).toBeNull();
    await act(() => client.resetQueries({ queryKey: ['devices', 'groups'] }));
    expect(await screen.findByText('None of this is kept on this device')).toBeVisible();
  });
});
