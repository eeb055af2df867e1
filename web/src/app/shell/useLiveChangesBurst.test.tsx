import { QueryClient, QueryClientProvider, QueryObserver } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LiveEvent } from '@/lib/live/useLive';
import { useLiveChanges } from './useLiveChanges';

const stream = vi.hoisted(() => ({ tell: (_: readonly LiveEvent[]): void => undefined }));

vi.mock('@/lib/live/useLive', async (original) => ({
  ...(await original<typeof import('@/lib/live/useLive')>()),
  useLive: (handler: typeof stream.tell) => {
    stream.tell = handler;
  },
}));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

it('refetches the visible queries once after a burst of changes, and no others', async () => {
  const client = new QueryClient();
  const observeQuery = (queryKey: readonly unknown[], enabled: boolean) => {
    const ask = vi.fn(async () => 1);
    client.setQueryData(queryKey, 0);
    const stop = new QueryObserver(client, { queryKey, queryFn: ask, staleTime: 60_000, enabled }).subscribe(
      () => undefined,
    );
    return { ask, stop };
  };
  const rules = observeQuery(['alarm-rules', 'page', {}], true);
  const table = observeQuery(['devices', 'page', {}], true);
  const unseen = observeQuery(['notice-channels', 'page', {}], false);
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { unmount } = renderHook(() => useLiveChanges(), { wrapper });
  for (let i = 0; i < 10; i++) {
    stream.tell([{ name: 'change', data: { of: ['rule'] } }]);
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(1500);
  expect(rules.ask).toHaveBeenCalledTimes(1);
  expect(table.ask).not.toHaveBeenCalled();
  expect(unseen.ask).not.toHaveBeenCalled();
  expect(client.getQueryState(['notice-channels', 'page', {}])?.isInvalidated).toBe(true);
  const day = observeQuery(['devices', 'day', 'WS-1', 'airTemperature', 200], true);
  stream.tell([{ name: 'change', data: { of: ['device'] } }]);
  await vi.advanceTimersByTimeAsync(1500);
  expect(table.ask).toHaveBeenCalledTimes(1);
  // A calibration may have changed it, but a page has a hundred: it is fetched at the next look.
  expect(day.ask).not.toHaveBeenCalled();
  expect(client.getQueryState(['devices', 'day', 'WS-1', 'airTemperature', 200])?.isInvalidated).toBe(true);
  for (const { stop } of [rules, table, unseen, day]) stop();
  unmount();
  client.clear();
});
