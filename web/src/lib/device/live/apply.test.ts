import { describe, expect, it } from 'vitest';
import type { LiveEvent } from '@/lib/live/useLive';
import { device, group, noon, overview, weather } from '@/test/telemetryServer';
import {
  applyToDay,
  applyToDevice,
  applyToGroups,
  applyToLatest,
  applyToMap,
  applyToOverview,
  applyToPage,
} from './apply';
import { changesOf, isEmpty } from './changes';

type Values = Record<string, number | boolean | string>;
const reading = (deviceName: string, time: number, values: Values): LiveEvent => ({
  name: 'reading',
  data: { deviceName, time, values },
});
const presence = (deviceName: string, onlineState: 0 | 1, time: number): LiveEvent => ({
  name: 'presence',
  data: { deviceName, onlineState, time },
});
const changes = (...events: LiveEvent[]) => changesOf(events, noon);

describe('changes', () => {
  it('keep the newest value of each property in any order of arrival', () => {
    const { latest } = changes(
      reading('A', 20, { airTemperature: 2, airHumidity: 90 }),
      reading('A', 10, { airTemperature: 1, heating: true }),
      reading('A', 20, { airTemperature: 3 }),
    );
    expect(Object.fromEntries(latest.get('A') ?? [])).toEqual({
      airTemperature: { time: 20, value: 3 },
      airHumidity: { time: 20, value: 90 },
      heating: { time: 10, value: true },
    });
  });

  it('do not let a value from a fast clock hide later ones', () => {
    const ahead: LiveEvent = {
      name: 'reading',
      data: { deviceName: 'A', time: 600, arrival: 10, values: { airTemperature: 9 } },
    };
    const { latest } = changes(ahead, reading('A', 20, { airTemperature: 1 }), reading('A', 5, { airTemperature: 7 }));
    expect(latest.get('A')?.get('airTemperature')).toEqual({ time: 20, value: 1 });
    const shown = { airTemperature: { value: 0, time: 8, unit: '°C', name: 'Air temperature' } };
    const after = applyToLatest(shown, 'A', changes(ahead));
    expect(after.airTemperature).toMatchObject({ time: 600, arrival: 10, value: 9 });
    const right = applyToLatest(after, 'A', changes(reading('A', 20, { airTemperature: 1 })));
    expect(right.airTemperature).toEqual({ ...shown.airTemperature, time: 20, value: 1 });
  });

  it('keep that a value is corrected, though not what the sensor shows now', () => {
    const shown = {
      airTemperature: { value: 20.9, raw: 21.4, time: 8, unit: '°C', name: 'Air temperature' },
      airHumidity: { value: 91, time: 8, unit: '%', name: 'Humidity' },
    };
    const after = applyToLatest(shown, 'A', changes(reading('A', 20, { airTemperature: 21, airHumidity: 90 })));
    expect(after.airTemperature).toEqual({ ...shown.airTemperature, value: 21, time: 20, raw: Number.NaN });
    expect(after.airHumidity).toEqual({ ...shown.airHumidity, value: 90, time: 20 });
  });

  it('do not keep that a value was clamped', () => {
    const shown = {
      airHumidity: { value: 100, raw: 102, clamped: true, time: 8, unit: '%', name: 'Humidity' },
    };
    const after = applyToLatest(shown, 'A', changes(reading('A', 20, { airHumidity: 98 })));
    expect(after.airHumidity).toEqual({ value: 98, time: 20, unit: '%', name: 'Humidity' });
  });

  it('are empty without readings and presence', () => {
    expect(isEmpty(changes({ name: 'notice', data: {} }, { name: 'reset' }))).toBe(true);
    expect(isEmpty(changes(presence('A', 1, 1)))).toBe(false);
  });
});

describe('a device', () => {
  const mast = device({ deviceName: 'A', lastContact: noon - 8000, lastData: [weather(3.4, noon - 8000)] });

  it('takes a newer reading, keeps its name and unit, and updates the last contact', () => {
    const next = applyToDevice(mast, changes(reading('A', noon - 1000, { airTemperature: 3.6 })));
    expect(next.lastData[0]?.airTemperature).toEqual({
      value: 3.6,
      time: noon - 1000,
      unit: '°C',
      name: 'Air temperature',
      precision: 1,
    });
    expect(next.lastData[0]?.airHumidity).toBe(mast.lastData[0]?.airHumidity);
    expect(next.lastContact).toBe(noon);
  });

  it('keeps its value when a late reading arrives, which still counts as contact', () => {
    const next = applyToDevice(mast, changes(reading('A', noon - 60_000, { airTemperature: -9 })));
    expect(next.lastData).toBe(mast.lastData);
    expect(next.lastContact).toBe(noon);
  });

  it('does not update the contact for readings that the answer held, or earlier ones', () => {
    const older = reading('A', noon - 18_000, { airTemperature: 3.3 });
    const held = reading('A', noon - 8000, { airTemperature: 3.4, co2: 420 });
    expect(applyToDevice(mast, changes(held))).toBe(mast);
    expect(applyToDevice(mast, changes(older, held))).toBe(mast);
    expect(applyToDevice(mast, changes(older, held, older)).lastContact).toBe(noon);
    // For other readings it takes the arrival as contact.
    expect(applyToDevice(mast, changes(reading('A', noon - 8000, { co2: 420 }))).lastContact).toBe(noon);
  });

  it('takes a corrected value of the same time', () => {
    const next = applyToDevice(mast, changes(reading('A', noon - 8000, { airTemperature: 4 })));
    expect(next.lastData[0]?.airTemperature?.value).toBe(4);
  });

  it('does not show a value without a known name', () => {
    const next = applyToDevice(mast, changes(reading('A', noon, { co2: 420 })));
    expect(next.lastData[0]).not.toHaveProperty('co2');
  });

  it('is the same object when no event concerns it', () => {
    expect(applyToDevice(mast, changes(reading('B', noon, { airTemperature: 1 }), presence('B', 0, noon)))).toBe(mast);
  });

  it('goes offline and comes back', () => {
    const gone = applyToDevice(mast, changes(presence('A', 0, noon - 10)));
    expect(gone).toMatchObject({ onlineState: 0, state: 1, offlineTime: noon - 10 });
    const back = applyToDevice(gone, changes(presence('A', 1, noon)));
    expect(back).toMatchObject({ onlineState: 1, state: 0, onlineTime: noon, offlineTime: noon - 10 });
  });

  it('ignores an event older than its state', () => {
    const back = device({ deviceName: 'A', onlineTime: noon, offlineTime: noon - 500 });
    expect(applyToDevice(back, changes(presence('A', 0, noon - 500)))).toBe(back);
  });
});

describe('groups', () => {
  const groups = [
    group({ id: 0, groupName: '', deviceList: [device({ deviceName: 'A' })] }),
    group({
      deviceCount: 250,
      onlineCount: 200,
      deviceList: [device({ deviceName: 'B' }), device({ deviceName: 'C' })],
    }),
  ];

  it('update their counts with their listed devices', () => {
    const next = applyToGroups(
      groups,
      changes(presence('B', 0, noon), presence('C', 0, noon), presence('C', 1, noon + 1)),
    );
    expect(next[1]?.onlineCount).toBe(199);
    expect(next[1]?.deviceList[0]?.onlineState).toBe(0);
    expect(next[0]).toBe(groups[0]);
  });

  it('do not count a change twice', () => {
    const events = changes(presence('B', 0, noon));
    const once = applyToGroups(groups, events);
    expect(applyToGroups(once, events)).toBe(once);
  });

  it('apply readings without counting', () => {
    const next = applyToGroups(groups, changes(reading('A', noon, { airTemperature: 9 })));
    expect(next[0]?.deviceList[0]?.lastData[0]?.airTemperature?.value).toBe(9);
    expect(next[0]?.onlineCount).toBe(1);
    expect(next[1]).toBe(groups[1]);
  });

  it('are the same object when no event concerns them', () => {
    expect(applyToGroups(groups, changes(presence('Z', 0, noon)))).toBe(groups);
  });
});

describe('pages and the map', () => {
  it('update their devices', () => {
    const page = { list: [device({ deviceName: 'A' }), device({ deviceName: 'B' })], total: 2 };
    const next = applyToPage(page, changes(presence('B', 0, noon)));
    expect(next.list.map(({ onlineState }) => onlineState)).toEqual([1, 0]);
    expect(next.list[0]).toBe(page.list[0]);
    expect(applyToPage(page, changes(presence('Z', 0, noon)))).toBe(page);
  });

  it('update a marker', () => {
    const marker = { noteName: '', groupId: 1, longitude: 27, latitude: 37, onlineState: 1 as const };
    const map = { markers: [{ ...marker, deviceName: 'A' }], clusters: [], total: 1, unplaced: 0 };
    expect(applyToMap(map, changes(presence('A', 0, noon))).markers[0]?.onlineState).toBe(0);
    expect(applyToMap(map, changes(presence('A', 1, noon)))).toBe(map);
    expect(applyToMap(map, changes(reading('A', noon, { airTemperature: 1 })))).toBe(map);
  });
});

describe('the overview', () => {
  const counted = overview({ time: noon - 4000 });

  it('changes at once when devices come and go', () => {
    const next = applyToOverview(counted, changes(presence('A', 0, noon - 3000), presence('B', 0, noon - 2000)));
    expect(next).toMatchObject({ onlineCount: 229, offlineCount: 19, offlineTodayCount: 5, time: noon - 2000 });
    expect(applyToOverview(next, changes(presence('A', 1, noon - 1000)))).toMatchObject({
      onlineCount: 230,
      offlineCount: 18,
    });
  });

  it('does not recount events that the server had counted', () => {
    expect(applyToOverview(counted, changes(presence('A', 0, noon - 4000)))).toBe(counted);
    const mixed = applyToOverview(counted, changes(presence('A', 0, noon - 5000), presence('B', 0, noon - 3000)));
    expect(mixed).toMatchObject({ onlineCount: 230, offlineTodayCount: 4 });
  });

  it('stays between zero and the total', () => {
    const full = overview({ deviceCount: 2, onlineCount: 2, offlineCount: 0, offlineTodayCount: 0 });
    expect(applyToOverview(full, changes(presence('A', 1, noon)))).toMatchObject({ onlineCount: 2, offlineCount: 0 });
    const none = overview({ deviceCount: 1, onlineCount: 0, offlineCount: 1, offlineTodayCount: 1 });
    expect(applyToOverview(none, changes(presence('A', 0, noon)))).toMatchObject({
      onlineCount: 0,
      offlineTodayCount: 1,
    });
  });
});

describe('the latest readings and the line of the day', () => {
  it('change for their device only', () => {
    const latest = weather(3.4, noon - 8000);
    const events = changes(reading('A', noon, { airTemperature: 5 }));
    expect(applyToLatest(latest, 'A', events).airTemperature?.value).toBe(5);
    expect(applyToLatest(latest, 'B', events)).toBe(latest);
  });

  it('grow at the end and lose expired points', () => {
    const series = {
      airTemperature: [
        { time: noon - 25 * 3_600_000, value: 1 },
        { time: noon - 1000, value: 2 },
      ],
    };
    const events = changes(
      reading('A', noon - 500, { airTemperature: 3, airHumidity: 90 }),
      reading('A', noon - 2000, { airTemperature: 99 }),
      reading('A', noon, { airTemperature: 4 }),
    );
    expect(applyToDay(series, 'A', events).airTemperature).toEqual([
      { time: noon - 1000, value: 2 },
      { time: noon - 500, value: 3 },
      { time: noon, value: 4 },
    ]);
    expect(applyToDay(series, 'B', events)).toBe(series);
    expect(applyToDay(series, 'A', changes(reading('A', noon, { airHumidity: 1 })))).toBe(series);
  });
});
