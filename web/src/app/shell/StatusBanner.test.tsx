import { useQuery } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useFeedback } from '@/lib/feedback/feedback';
import { overviewQuery } from '@/lib/http/queries';
import { followReachability } from '@/lib/offline/followReachability';
import { pageReloader, useRelease } from '@/lib/offline/release';
import { useDataSaverOffer } from '@/lib/storage/dataSaver';
import { usePreferences } from '@/lib/storage/preferences';
import { renderWithProviders } from '@/test/renderWithProviders';
import { ok, onGet } from '@/test/server';
import { overview } from '@/test/telemetryServer';
import { AsOfTime } from '@/ui/AsOfTime';
import type { DeliveryBudget } from './budget';
import { StatusBanner } from './StatusBanner';

const live = vi.hoisted(() => ({
  state: 'live' as 'live' | 'connecting' | 'offline',
  storageStoppedAt: null as number | null,
}));
vi.mock('@/lib/live/useLive', () => ({ useLiveStatus: () => ({ ...live, lastEventAt: null }) }));

const path = '/admin-api/client/pc/home/overview-statistics';
let network = true;
let calls = 0;
let stop = () => {};

beforeEach(() => {
  network = true;
  calls = 0;
  live.state = 'live';
  live.storageStoppedAt = null;
  useRelease.setState({ newer: false });
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => network);
  onGet(path, () => {
    calls += 1;
    return network ? ok(overview({ onlineCount: calls })) : HttpResponse.error();
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

function Page() {
  const { data, dataUpdatedAt } = useQuery(overviewQuery());
  return (
    <>
      <StatusBanner />
      <p>{data ? `online ${data.onlineCount}` : 'nothing yet'}</p>
      <AsOfTime time={dataUpdatedAt} />
    </>
  );
}

async function open() {
  const drawn = renderWithProviders(<Page />);
  stop = followReachability(drawn.client);
  await screen.findByText('online 1');
  return drawn;
}

const setConnection = (on: boolean) =>
  act(() => {
    network = on;
    window.dispatchEvent(new Event(on ? 'online' : 'offline'));
  });
const status = () => screen.getByRole('status');

describe('without a network', () => {
  it('the page says so once with the age of its data; each card shows its own', async () => {
    await open();
    expect(status()).toBeEmptyDOMElement();
    expect(screen.queryByText(/^As of/)).toBeNull();
    setConnection(false);
    expect(status()).toHaveTextContent(/^No connection$/);
    expect(screen.getByText(/^What you see was last received at \d\d:\d\d\.$/)).toBeVisible();
    expect(screen.getByText(/^As of \d\d:\d\d$/)).toBeVisible();
    expect(screen.getByText('online 1')).toBeVisible();
  });

  it('yesterday’s values show their day', async () => {
    const { client } = await open();
    const updatedAt = new Date().setHours(0, 0, 0, 0) - 5.5 * 3_600_000;
    client.setQueryData(overviewQuery().queryKey, overview({ onlineCount: 40 }), { updatedAt });
    setConnection(false);
    expect(await screen.findByText(/^As of \w{3,4} \d{1,2}, 1[78]:30$/)).toBeVisible();
  });

  it('coming back online refetches everything, and announces when it is up to date', async () => {
    await open();
    setConnection(false);
    setConnection(true);
    expect(await screen.findByText('online 2')).toBeVisible();
    await waitFor(() => expect(status()).toBeEmptyDOMElement());
    expect(screen.queryByText(/^As of/)).toBeNull();
    await waitFor(() =>
      expect(useFeedback.getState().toasts).toMatchObject([
        { tone: 'success', title: 'Connected again, everything is up to date' },
      ]),
    );
    expect(calls).toBe(2);
  });

  it('no failing call is reported by itself', async () => {
    const { client } = await open();
    setConnection(false);
    await act(() => client.refetchQueries());
    expect(useFeedback.getState().toasts).toEqual([]);
  });
});

describe('a silent server', () => {
  it('is reported once the live stream has been closed for ten seconds', async () => {
    live.state = 'offline';
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true });
    await open();
    await act(() => vi.advanceTimersByTimeAsync(9_000));
    expect(status()).toBeEmptyDOMElement();
    await act(() => vi.advanceTimersByTimeAsync(1_500));
    expect(status()).toHaveTextContent(/^The server does not answer$/);
    expect(screen.getByText(/^As of/)).toBeVisible();
  });
});

describe('a newer console', () => {
  it('is offered, and loaded when the user agrees', async () => {
    await open();
    const reload = vi.spyOn(pageReloader, 'reload').mockImplementation(() => undefined);
    act(() => useRelease.setState({ newer: true }));
    expect(status()).toHaveTextContent('A new version of Tilth is ready');
    expect(reload).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Load it' }));
    expect(reload).toHaveBeenCalledOnce();
  });

  it('waits until there is a network', async () => {
    await open();
    act(() => useRelease.setState({ newer: true }));
    setConnection(false);
    expect(status()).toHaveTextContent(/^No connection$/);
  });
});

describe('a slow connection', () => {
  it('leads to an offer of the data saver, which stays off until the user turns it on', async () => {
    await open();
    act(() => useDataSaverOffer.setState({ weak: true }));
    expect(status()).toHaveTextContent('The connection is weak');
    expect(usePreferences.getState().saveData).toBe(false);
    await userEvent.click(screen.getByRole('button', { name: 'Turn on' }));
    expect(usePreferences.getState().saveData).toBe(true);
    expect(status()).toBeEmptyDOMElement();
  });

  it('leads to no further offer when the user refuses', async () => {
    await open();
    act(() => useDataSaverOffer.setState({ weak: true }));
    await userEvent.click(screen.getByRole('button', { name: 'Not now' }));
    expect(status()).toBeEmptyDOMElement();
    expect(usePreferences.getState().saveData).toBe(false);
  });
});

describe('readings that cannot be stored', () => {
  it('are reported with the time since when, before alarms that are delayed', async () => {
    live.storageStoppedAt = Date.now() - 20_000;
    onGet(path, () => ok(overview({ onlineCount: 1, alarmsBehind: 41 })));
    await open();
    expect(status()).toHaveTextContent('New readings cannot be stored');
    expect(screen.getByText(/^Since \d\d:\d\d the server cannot store readings/)).toBeVisible();
  });
});

describe('delayed alarms', () => {
  it('are reported with their delay until they have caught up', async () => {
    let behind: number | undefined = 41;
    onGet(path, () => ok(overview({ onlineCount: 1, ...(behind ? { alarmsBehind: behind } : {}) })));
    vi.useFakeTimers({ shouldAdvanceTime: true });
    await open();
    await waitFor(() => expect(status()).toHaveTextContent('Alarms are 41 s behind'));
    expect(screen.getByText(/none is left out/)).toBeVisible();
    behind = undefined;
    await act(() => vi.advanceTimersByTimeAsync(5_500));
    await waitFor(() => expect(status()).toBeEmptyDOMElement());
  });
});

describe('the budget of e-mails and SMS', () => {
  const until = Date.now() + 3 * 3_600_000;
  const show = async (...budgets: DeliveryBudget[]) => {
    onGet(path, () => ok(overview({ onlineCount: 1, budgets })));
    await open();
  };

  it.each([
    [4000, '4,000 of today’s 5,000 emails are used', /Once all are used/],
    [5000, 'Today’s budget for emails is used up', /others in one message an hour/],
    [7500, 'Today’s budget for emails is used up', /Only serious alarms are still told/],
    [10000, 'No more emails leave today', /only shown here/],
  ])('is reported with its consequence: %d', async (letters, title, text) => {
    await show({ mode: 'email', letters, budget: 5000, until });
    await waitFor(() => expect(status()).toHaveTextContent(title));
    expect(screen.getByText(text)).toBeVisible();
  });

  it('that is most used is reported', async () => {
    await show(
      { mode: 'email', letters: 4100, budget: 5000, until },
      { mode: 'phoneMessage', letters: 500, budget: 500, until },
    );
    await waitFor(() => expect(status()).toHaveTextContent('Today’s budget for SMS is used up'));
  });

  it('is not reported once the next day has begun', async () => {
    let budgets: DeliveryBudget[] | undefined = [{ mode: 'email', letters: 9, budget: 10, until: Date.now() + 60_000 }];
    onGet(path, () => ok(overview({ onlineCount: 1, ...(budgets ? { budgets } : {}) })));
    vi.useFakeTimers({ shouldAdvanceTime: true });
    await open();
    await waitFor(() => expect(status()).toHaveTextContent('9 of today’s 10 emails are used'));
    budgets = undefined;
    await act(() => vi.advanceTimersByTimeAsync(62_000));
    await waitFor(() => expect(status()).toBeEmptyDOMElement());
  });
});
