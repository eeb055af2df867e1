import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noteServerTime } from '@/lib/format/clock';
import { overviewQuery } from '@/lib/http/queries';
import { noteDelivery } from '@/lib/live/deliveries';
import type { LiveEvent } from '@/lib/live/useLive';
import { gate } from '@/test/gate';
import { device, group, noon, overview } from '@/test/telemetryServer';
import { deviceKeys } from '../queries';
import type { Group, Overview } from '../types';
import { DeviceLive } from './deviceLive';

const overviewKey = overviewQuery().queryKey;
const groupsKey = deviceKeys.groups('en-us');
const presence = (deviceName: string, onlineState: 0 | 1, time: number): LiveEvent => ({
  name: 'presence',
  data: { deviceName, onlineState, time },
});
const reading = (deviceName: string, values: Record<string, number>): LiveEvent => ({
  name: 'reading',
  data: { deviceName, time: Date.now(), values },
});

let client: QueryClient;
let live: DeviceLive;
let stop: () => void;
const stops: (() => void)[] = [];

/** Observes a query that a function answers. */
function observeQuery<T>(queryKey: readonly unknown[], answer: () => T | Promise<T>) {
  const ask = vi.fn(async () => answer());
  stops.push(
    new QueryObserver(client, { queryKey, queryFn: ask, retry: false, staleTime: 60_000 }).subscribe(() => undefined),
  );
  return ask;
}

const advance = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const counts = () => client.getQueryData<Overview>(overviewKey);
const groups = () => client.getQueryData<Group[]>(groupsKey);

beforeEach(() => {
  vi.useFakeTimers({ now: noon });
  client = new QueryClient();
  live = new DeviceLive(client);
  stop = live.start();
});

afterEach(() => {
  stop();
  for (const end of stops.splice(0)) end();
  client.clear();
  noteServerTime(Date.now());
  vi.useRealTimers();
});

describe('presence', () => {
  it('changes the counts at once and refetches them when it is quiet', async () => {
    let answer = overview({ onlineCount: 231, time: noon });
    const ask = observeQuery(overviewKey, () => answer);
    await advance();
    live.handle([presence('WS-1', 0, noon + 1)]);
    expect(counts()).toMatchObject({ onlineCount: 230, offlineCount: 18 });
    answer = overview({ onlineCount: 229, offlineCount: 19, time: noon + 2000 });
    await advance(1999);
    expect(ask).toHaveBeenCalledTimes(1);
    await advance(1);
    expect(ask).toHaveBeenCalledTimes(2);
    expect(counts()).toMatchObject({ onlineCount: 229, offlineCount: 19 });
  });

  it('refetches the counts now and then even when it is never quiet', async () => {
    const ask = observeQuery(overviewKey, () => overview());
    await advance();
    for (let i = 0; i < 11; i++) {
      live.handle([presence('WS-1', (i % 2) as 0 | 1, Date.now())]);
      await advance(1000);
    }
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it('refetches the lists of one state, and no others', async () => {
    const list = () => ({ list: [device({ deviceName: 'WS-1' })], total: 1 });
    const askOnline = observeQuery(deviceKeys.page('en-us', { groupId: 1, onlineState: 1 }, 1), list);
    const askAll = observeQuery(deviceKeys.page('en-us', { groupId: 1 }, 1), list);
    await advance();
    live.handle([presence('WS-1', 0, noon)]);
    await advance(15_000);
    expect(askOnline).toHaveBeenCalledTimes(2);
    expect(askAll).toHaveBeenCalledTimes(1);
  });

  it('of an unlisted device refetches the groups, once per burst', async () => {
    const ask = observeQuery(groupsKey, () => [
      group({ deviceCount: 400, deviceList: [device({ deviceName: 'WS-1' })] }),
    ]);
    await advance();
    live.handle([presence('WS-1', 0, noon)]);
    await advance(15_000);
    expect(ask).toHaveBeenCalledTimes(1);
    live.handle([presence('WS-399', 0, noon), presence('WS-398', 0, noon)]);
    await advance(15_000);
    expect(ask).toHaveBeenCalledTimes(2);
  });
});

describe('a reading', () => {
  it('of a known property causes no call', async () => {
    const ask = observeQuery(groupsKey, () => [group({ deviceList: [device({ deviceName: 'WS-1' })] })]);
    await advance();
    live.handle([reading('WS-1', { airTemperature: 9 })]);
    await advance(60_000);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(groups()?.[0]?.deviceList[0]?.lastData[0]?.airTemperature?.value).toBe(9);
  });

  it('of a new property fetches its name and unit once', async () => {
    const ask = observeQuery(groupsKey, () => [group({ deviceList: [device({ deviceName: 'WS-1' })] })]);
    await advance();
    live.handle([reading('WS-1', { co2: 420 })]);
    await advance(15_000);
    expect(ask).toHaveBeenCalledTimes(2);
    // The server does not list it: asking again would not help.
    live.handle([reading('WS-1', { co2: 421 })]);
    await advance(15_000);
    expect(ask).toHaveBeenCalledTimes(2);
  });
});

describe('the first reading of a device', () => {
  const empty = (deviceName: string) => device({ deviceName, lastData: [{}] });

  it('is on the screen within a second', async () => {
    let found = empty('WS-1');
    const ask = observeQuery(groupsKey, () => [group({ deviceList: [found] })]);
    await advance();
    found = device({ deviceName: 'WS-1' });
    // However many readings the tenant's other devices send.
    for (let i = 0; i < 10; i++) {
      live.handle([reading('WS-1', { airTemperature: 9 }), reading('WS-2', { airTemperature: i })]);
      await advance(100);
    }
    expect(ask).toHaveBeenCalledTimes(2);
    expect(groups()?.[0]?.deviceList[0]?.lastData[0]?.airTemperature?.value).toBe(9);
  });

  it('causes one call for many devices, and few calls while they continue', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `WS-${i}`);
    const ask = observeQuery(groupsKey, () => [group({ deviceList: names.map(empty) })]);
    await advance();
    for (const name of names.slice(0, 100)) live.handle([reading(name, { airTemperature: 9 })]);
    await advance(1000);
    expect(ask).toHaveBeenCalledTimes(2);
    for (const name of names.slice(100)) {
      live.handle([reading(name, { airTemperature: 9 })]);
      await advance(20);
    }
    await advance(15_000);
    expect(ask).toHaveBeenCalledTimes(3);
  });
});

describe('a notice', () => {
  it('refetches counts, marks and levels within a second', async () => {
    const askOverview = observeQuery(overviewKey, () => overview());
    const askGroups = observeQuery(groupsKey, () => [group()]);
    const askMap = observeQuery(deviceKeys.map(null), () => ({ markers: [], clusters: [], total: 0, unplaced: 0 }));
    const askDay = observeQuery(deviceKeys.day('WS-1', 'airTemperature', 200), () => ({}));
    await advance();
    for (let i = 0; i < 10; i++) {
      live.handle([{ name: 'notice', data: {} }]);
      await advance(50);
    }
    await advance(300);
    expect(askOverview.mock.calls.length).toBeLessThanOrEqual(3);
    for (const ask of [askOverview, askGroups, askMap]) expect(ask.mock.calls.length).toBeGreaterThanOrEqual(2);
    expect(askDay).toHaveBeenCalledTimes(1);
  });
});

describe('a reset', () => {
  it('refetches everything, and restarts calls in flight', async () => {
    const { passed, open } = gate<Group[]>();
    const answers: (Group[] | Promise<Group[]>)[] = [passed, [group({ onlineCount: 7 })]];
    const ask = observeQuery(groupsKey, () => answers.shift() ?? []);
    await advance();
    live.handle([{ name: 'reset' }]);
    await advance();
    expect(ask).toHaveBeenCalledTimes(2);
    expect(groups()?.[0]?.onlineCount).toBe(7);
    open([group({ onlineCount: 1 })]);
    await advance();
    expect(groups()?.[0]?.onlineCount).toBe(7);
  });
});

describe('an answer written before an event that overtook it', () => {
  it('does not undo the event', async () => {
    const { passed, open } = gate<Group[]>();
    observeQuery(groupsKey, () => passed);
    observeQuery(overviewKey, () => overview({ onlineCount: 231, time: noon + 5000 }));
    await advance();
    live.handle([presence('WS-1', 0, noon + 6000), reading('WS-1', { airTemperature: 9 })]);
    // The server's state before the event.
    open([group({ deviceList: [device({ deviceName: 'WS-1', onlineState: 1 })] })]);
    await advance();
    expect(groups()?.[0]?.onlineCount).toBe(0);
    expect(groups()?.[0]?.deviceList[0]).toMatchObject({ onlineState: 0 });
    expect(groups()?.[0]?.deviceList[0]?.lastData[0]?.airTemperature?.value).toBe(9);
    expect(counts()?.onlineCount).toBe(230);
  });

  it('that already includes the event stays unchanged', async () => {
    const { passed, open } = gate<Group[]>();
    observeQuery(groupsKey, () => passed);
    await advance();
    live.handle([presence('WS-1', 0, noon)]);
    open([
      group({
        deviceCount: 5,
        onlineCount: 4,
        deviceList: [device({ deviceName: 'WS-1', onlineState: 0, offlineTime: noon })],
      }),
    ]);
    await advance();
    expect(groups()?.[0]?.onlineCount).toBe(4);
  });

  it('is not affected by events from before its request', async () => {
    live.handle([presence('WS-1', 0, noon)]);
    observeQuery(groupsKey, () => [
      group({ deviceList: [device({ deviceName: 'WS-1', onlineState: 1, onlineTime: noon - 1e6 })] }),
    ]);
    await advance();
    expect(groups()?.[0]?.onlineCount).toBe(1);
  });
});

describe('time', () => {
  it('resets today’s counts at each midnight', async () => {
    const ask = observeQuery(overviewKey, () => overview({ time: Date.now() }));
    await advance(12 * 3_600_000);
    expect(ask).toHaveBeenCalledTimes(1);
    await advance(1001);
    expect(ask).toHaveBeenCalledTimes(2);
    await advance(24 * 3_600_000);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  it('passes without calls when nothing happens', async () => {
    const asks = [
      observeQuery(overviewKey, () => overview({ time: Date.now() })),
      observeQuery(groupsKey, () => [group()]),
    ];
    await advance(6 * 3_600_000);
    for (const ask of asks) expect(ask).toHaveBeenCalledTimes(1);
  });
});

it('refetches on a later visit, which has missed events; before the first event there is nothing to miss', async () => {
  const ask = observeQuery(groupsKey, () => [group()]);
  await advance();
  const visitAgain = async () => {
    stop();
    stop = live.start();
    await advance();
  };
  await visitAgain();
  expect(ask).toHaveBeenCalledTimes(1);
  noteDelivery();
  await visitAgain();
  expect(ask).toHaveBeenCalledTimes(2);
});

it('leaves a failed query failed, so that it is refetched', async () => {
  let fail = false;
  observeQuery(overviewKey, () => {
    if (fail) throw new Error('503');
    return overview({ time: noon });
  });
  await advance();
  fail = true;
  await client.invalidateQueries({ queryKey: overviewKey });
  await advance();
  live.handle([presence('WS-1', 0, noon + 1)]);
  expect(client.getQueryState(overviewKey)?.status).toBe('error');
});
