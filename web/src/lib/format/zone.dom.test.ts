import { afterEach, describe, expect, it, vi } from 'vitest';
import { formatDateTime, midnight, nextMidnight, startOfDay } from './date';
import { displayZone, fromZonedParts, setTenantZone, startOfDate, useTenantZone, zonedDate, zonesDiffer } from './zone';

const hour = 3_600_000;
const day = 24 * hour;

afterEach(() => {
  setTenantZone(undefined);
  vi.unstubAllEnvs();
});

/** Computes on a machine in the tenant's zone. */
function inTenantZone<T>(zone: string, compute: () => T): T {
  vi.stubEnv('TZ', zone);
  try {
    return compute();
  } finally {
    vi.unstubAllEnvs();
  }
}

const zones = ['Europe/Istanbul', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'];
const machineZones = ['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Pacific/Auckland'];

describe.each(machineZones)('on a machine in %s', (machine) => {
  it.each(zones)('clocks and calendars are those of a tenant in %s', (zone) => {
    const fields = (date: Date) => [
      [date.getFullYear(), date.getMonth(), date.getDate(), date.getDay()],
      [date.getHours(), date.getMinutes(), date.getSeconds(), date.getTimezoneOffset() + 0],
    ];
    const times = Array.from({ length: 366 * 4 }, (_, i) => Date.UTC(2026, 0, 1, 0, 10, 7) + i * 6 * hour);
    const there = inTenantZone(zone, () => times.map((time) => fields(new Date(time))));
    vi.stubEnv('TZ', machine);
    setTenantZone(zone);
    expect(times.map((time) => fields(zonedDate(time)))).toEqual(there);
  });

  it.each(zones)('a chosen time is one of a tenant in %s', (zone) => {
    // The days on which clocks change in these zones or the machine's, by the half hour; and days
    // that overflow.
    const days = [
      [2026, 2, 8],
      [2026, 2, 29],
      [2026, 3, 5],
      [2026, 8, 27],
      [2026, 9, 4],
      [2026, 9, 25],
      [2026, 10, 1],
      [2026, 11, 32],
      [2026, 0, 0],
    ] as const;
    const halves = Array.from({ length: 48 }, (_, i) => i * 30);
    const all = days.flatMap(([year, month, date]) => halves.map((minute) => [year, month, date, 0, minute] as const));
    const there = inTenantZone(zone, () => all.map((at) => new Date(...at).getTime()));
    vi.stubEnv('TZ', machine);
    setTenantZone(zone);
    expect(all.map((at) => fromZonedParts(...at))).toEqual(there);
  });
});

it('counts days by the calendar when they have 23 or 25 hours', () => {
  setTenantZone('Europe/Berlin');
  const before = Date.UTC(2026, 2, 28, 12);
  expect(midnight(before, 1)).toBe(Date.UTC(2026, 2, 28, 23));
  expect(midnight(before, 2) - midnight(before, 1)).toBe(23 * hour);
  const autumn = Date.UTC(2026, 9, 25, 12);
  expect(midnight(autumn, 1) - midnight(autumn, 0)).toBe(25 * hour);
  expect(midnight(before, 1) - midnight(before, 0)).toBe(day);
});

it.each([
  // The clocks skip midnight of the day: it begins after the jump.
  ['America/Santiago', [2026, 8, 6], '2026-09-06T04:00Z', '2026-09-07T03:00Z'],
  ['America/Havana', [2026, 2, 8], '2026-03-08T05:00Z', '2026-03-09T04:00Z'],
  ['Atlantic/Azores', [2026, 2, 29], '2026-03-29T01:00Z', '2026-03-30T00:00Z'],
  ['Africa/Cairo', [2026, 3, 24], '2026-04-23T22:00Z', '2026-04-24T21:00Z'],
  // They show it twice: it begins at the first.
  ['America/Havana', [2026, 10, 1], '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
  ['Asia/Kathmandu', [2026, 2, 29], '2026-03-28T18:15Z', '2026-03-29T18:15Z'],
  ['Pacific/Apia', [2011, 11, 29], '2011-12-29T10:00Z', '2011-12-30T10:00Z'],
] as const)('begins and ends a day in %s when the server does', (zone, [year, month, date], begin, end) => {
  setTenantZone(zone);
  expect(startOfDate(year, month, date)).toBe(Date.parse(begin));
  for (const within of [Date.parse(begin), Date.parse(end) - 1]) {
    expect([startOfDay(within), nextMidnight(within)]).toEqual([Date.parse(begin), Date.parse(end)]);
  }
});

it('adds the offset in an hour that occurs twice for the tenant', () => {
  setTenantZone('Europe/Berlin');
  expect(formatDateTime(Date.UTC(2026, 9, 25, 1, 30), 'en-us')).toBe('Oct 25, 2026, 02:30 UTC+1');
});

it('knows whether the user’s clock shows the same', () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  expect(zonesDiffer(Date.UTC(2026, 6, 1))).toBe(false);
  setTenantZone('Europe/Istanbul');
  expect(zonesDiffer(Date.UTC(2026, 6, 1))).toBe(true);
  setTenantZone('Europe/Paris');
  expect(zonesDiffer(Date.UTC(2026, 6, 1))).toBe(false);
});

it('is this machine’s until the tenant’s is known, and if the browser does not know that', () => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  expect(displayZone()).toBe('Asia/Tokyo');
  setTenantZone('Mars/Olympus_Mons');
  expect(displayZone()).toBe('Asia/Tokyo');
  expect(zonedDate(0).getHours()).toBe(9);
  setTenantZone('Europe/Istanbul');
  expect(displayZone()).toBe('Europe/Istanbul');
});

it('survives a reload', () => {
  setTenantZone('Europe/Istanbul');
  expect(JSON.parse(localStorage.getItem('tilth.zone') ?? '')).toMatchObject({ state: { zone: 'Europe/Istanbul' } });
  localStorage.setItem('tilth.zone', JSON.stringify({ state: { zone: 7 }, version: 0 }));
  void useTenantZone.persist.rehydrate();
  expect(useTenantZone.getState().zone).toBeUndefined();
});
