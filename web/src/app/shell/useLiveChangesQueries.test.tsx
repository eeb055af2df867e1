import { QueryClient, QueryClientProvider, QueryObserver } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  devicePropertiesQuery,
  offeredDevicesQuery,
  outlookQuery,
  ruleQuery,
  rulesQuery,
} from '@/features/alarm/queries';
import { linesQuery, runningRulesQuery } from '@/features/analysis/data/queries';
import { devicesQuery, hoursQuery, rowsQuery, sampleQuery } from '@/features/data/history/queries';
import { calibrationsQuery } from '@/features/device/calibration/queries';
import { offerQuery, sceneListQuery, tableQuery } from '@/features/device/queries';
import { attentionQuery } from '@/features/home/attention/queries';
import { homeAssistantQuery } from '@/features/profile/homeAssistant/queries';
import { invitationPageQuery, peoplePageQuery, personKeysQuery } from '@/features/profile/people/queries';
import { channelPageQuery, channelQuery, channelsByIdQuery } from '@/lib/channel/queries';
import { dayLinesQuery, dayQuery } from '@/lib/device/dayQueries';
import {
  deviceQuery,
  groupsQuery,
  latestQuery,
  mapQuery,
  modelQuery,
  namedQuery,
  pageQuery,
  tslQuery,
} from '@/lib/device/queries';
import { allScenesQuery, productsQuery } from '@/lib/device/scenes';
import { overviewQuery, userQuery } from '@/lib/http/queries';
import type { ChangeKind } from '@/lib/live/event';
import type { LiveEvent } from '@/lib/live/useLive';
import { changeKinds } from '@/test/contract';
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

interface SomeQuery {
  queryKey: readonly unknown[];
}

function listen(client: QueryClient): () => void {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return renderHook(() => useLiveChanges(), { wrapper }).unmount;
}

const lang = 'en-us';
const asks = { deviceName: 'WS-1', ids: [], from: 0, to: 1, raw: false };
const page = { pageNo: 1, pageSize: 10 };

const deviceQueries: readonly SomeQuery[] = [
  overviewQuery(),
  groupsQuery(lang),
  pageQuery(lang, {}, 1),
  deviceQuery(lang, 'WS-1'),
  latestQuery(lang, 'WS-1'),
  tslQuery(lang, 'WS-1'),
  modelQuery(lang, { productId: 1, deviceName: 'WS-1' }),
  namedQuery(lang, ['WS-1']),
  mapQuery(null),
  tableQuery(lang, {}),
  offeredDevicesQuery(lang, 'WS'),
  offerQuery(lang),
];
const sceneQueries = [allScenesQuery(), sceneListQuery('')];
const ruleQueries = [rulesQuery({}), outlookQuery([1]), runningRulesQuery(['WS-1'])];
const channelQueries = [channelPageQuery(page), channelsByIdQuery()];
const peopleQueries = [peoplePageQuery({}, 1, 10), personKeysQuery(1), invitationPageQuery(1, 10)];

/** The queries that each kind of change concerns. */
const concerned: Record<ChangeKind, readonly SomeQuery[]> = {
  device: [
    ...deviceQueries,
    ...sceneQueries,
    ...ruleQueries,
    productsQuery(),
    devicePropertiesQuery(lang, 'WS-1'),
    calibrationsQuery(lang, 'WS-1'),
    devicesQuery(lang, ''),
  ],
  scene: [...deviceQueries, ...sceneQueries],
  rule: [...ruleQueries, ...channelQueries, attentionQuery(lang)],
  channel: [...ruleQueries, ...channelQueries, attentionQuery(lang)],
  people: peopleQueries,
  integration: [homeAssistantQuery()],
  me: [userQuery()],
  message: [],
};
/** Kinds that concern no query here: the bell refetches messages. */
const heardElsewhere: readonly string[] = ['message'] satisfies ChangeKind[];
/** The others refetch themselves. */
const concernedByReset = [...sceneQueries, ...channelQueries, ...peopleQueries, homeAssistantQuery(), userQuery()];
/** Every change of a device may be a calibration, which changes the past. */
const past: readonly SomeQuery[] = [
  dayQuery('WS-1', 'airTemperature'),
  dayLinesQuery(['WS-1'], ['airTemperature']),
  sampleQuery({ ...asks, points: null }),
  hoursQuery(asks),
  rowsQuery(asks),
  linesQuery([]),
];
/** A form keeps what was typed. */
const forms: readonly SomeQuery[] = [ruleQuery(1), channelQuery(1)];

/** The keys of the queries that are fetched anew, by now or when they are next looked at. */
async function outdatedAfter(event: LiveEvent): Promise<string[]> {
  const client = new QueryClient();
  const queries = client.getQueryCache();
  for (const options of [...Object.values(concerned).flat(), ...past, ...forms]) {
    queries.build(client, options).setData(0);
  }
  const stop = listen(client);
  stream.tell([event]);
  await vi.advanceTimersByTimeAsync(1500);
  const outdated = queries.getAll().filter(({ state }) => state.isInvalidated);
  stop();
  client.clear();
  return outdated.map(({ queryHash }) => queryHash).sort();
}
const hashesOf = (queries: readonly SomeQuery[]) => queries.map(({ queryKey }) => JSON.stringify(queryKey)).sort();

it.each(changeKinds())('a change of kind %s concerns the queries that say so, and no others', async (name) => {
  const kind = name as ChangeKind;
  const heard = concerned[kind] ?? [];
  expect(heard.length === 0, `whether changes of kind ${kind} concern no query`).toBe(heardElsewhere.includes(kind));
  const outdated = await outdatedAfter({ name: 'change', data: { of: [kind] } });
  expect(outdated).toEqual(hashesOf(kind === 'device' ? [...heard, ...past] : heard));
});

it('a reset concerns the queries that no page refetches itself', async () => {
  expect(await outdatedAfter({ name: 'reset' })).toEqual(hashesOf(concernedByReset));
});

it('a query cannot name a kind that the contract does not know', () => {
  const client = new QueryClient();
  // @ts-expect-error this is no kind of change
  client.getQueryCache().build(client, { queryKey: ['weather'], meta: { refetchOn: ['weather'] } });
  // @ts-expect-error nor is this how a query says what concerns it
  client.getQueryCache().build(client, { queryKey: ['weather'], meta: { refetchOf: ['device'] } });
  expect(client.getQueryCache().getAll()).toHaveLength(1);
});

it('refetches the visible queries once after a burst of changes, and no others', async () => {
  const client = new QueryClient();
  const observeQuery = (
    { queryKey, meta }: SomeQuery & { meta?: QueryObserver['options']['meta'] },
    enabled: boolean,
  ) => {
    const ask = vi.fn(async () => 1);
    client.setQueryData(queryKey, 0);
    const options = { queryKey, meta, queryFn: ask, staleTime: 60_000, enabled };
    return { ask, stop: new QueryObserver(client, options).subscribe(() => undefined) };
  };
  const rules = observeQuery(rulesQuery({}), true);
  const table = observeQuery(tableQuery(lang, {}), true);
  const unseen = observeQuery(channelPageQuery(page), false);
  const unmount = listen(client);
  for (let i = 0; i < 10; i++) {
    stream.tell([{ name: 'change', data: { of: ['rule'] } }]);
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(1500);
  expect(rules.ask).toHaveBeenCalledTimes(1);
  expect(table.ask).not.toHaveBeenCalled();
  expect(unseen.ask).not.toHaveBeenCalled();
  expect(client.getQueryState(channelPageQuery(page).queryKey)?.isInvalidated).toBe(true);
  const ofDay = dayQuery('WS-1', 'airTemperature');
  const day = observeQuery(ofDay, true);
  stream.tell([{ name: 'change', data: { of: ['device'] } }]);
  await vi.advanceTimersByTimeAsync(1500);
  expect(table.ask).toHaveBeenCalledTimes(1);
  // A calibration may have changed it, but a page has a hundred: it is fetched at the next look.
  expect(day.ask).not.toHaveBeenCalled();
  expect(client.getQueryState(ofDay.queryKey)?.isInvalidated).toBe(true);
  for (const { stop } of [rules, table, unseen, day]) stop();
  unmount();
  client.clear();
});
