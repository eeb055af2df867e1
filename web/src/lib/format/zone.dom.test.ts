import { afterEach, describe, expect, it, vi } from 'vitest';
import { formatDateTime, midnight } from './date';
import { clocksDiffer, dateAt, setFarmZone, shownZone, timeOf, useFarmZone } from './zone';

const hour = 3_600_000;
const day = 24 * hour;

afterEach(() => {
  setFarmZone(undefined);
  vi.unstubAllEnvs();
});

/** What a machine that stands on the farm shows and takes. */
function onTheFarm<T>(zone: string, compute: () => T): T {
  vi.stubEnv('TZ', zone);
  try {
    return compute();
  } finally {
    vi.unstubAllEnvs();
  }
}

const zones = ['Europe/Istanbul', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'];
const machines = ['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Pacific/Auckland'];

describe.each(machines)('on a machine in %s', (machine) => {
  it.each(zones)('clocks and calendars are those of a farm in %s', (zone) => {
    const fields = (date: Date) => [
      [date.getFullYear(), date.getMonth(), date.getDate(), date.getDay()],
      [date.getHours(), date.getMinutes(), date.getSeconds(), date.getTimezoneOffset() + 0],
    ];
    const times = Array.from({ length: 366 * 4 }, (_, i) => Date.UTC(2026, 0, 1, 0, 10, 7) + i * 6 * hour);
    const there = onTheFarm(zone, () => times.map((time) => fields(new Date(time))));
    vi.stubEnv('TZ', machine);
    setFarmZone(zone);
    expect(times.map((time) => fields(dateAt(time)))).toEqual(there);
  });

  it.each(zones)('a time that is chosen is one of a farm in %s', (zone) => {
    // The days on which some of these zones, or the machine's, set their clocks, by the half hour; and days that run over.
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
    const there = onTheFarm(zone, () => all.map((at) => new Date(...at).getTime()));
    vi.stubEnv('TZ', machine);
    setFarmZone(zone);
    expect(all.map((at) => timeOf(...at))).toEqual(there);
  });
});

it('counts days by the calendar where they have 23 and 25 hours', () => {
  setFarmZone('Europe/Berlin');
  const before = Date.UTC(2026, 2, 28, 12);
  expect(midnight(before, 1)).toBe(Date.UTC(2026, 2, 28, 23));
  expect(midnight(before, 2) - midnight(before, 1)).toBe(23 * hour);
  const autumn = Date.UTC(2026, 9, 25, 12);
  expect(midnight(autumn, 1) - midnight(autumn, 0)).toBe(25 * hour);
  expect(midnight(before, 1) - midnight(before, 0)).toBe(day);
});

it('says which hour it is that comes twice on the farm', () => {
  setFarmZone('Europe/Berlin');
  expect(formatDateTime(Date.UTC(2026, 9, 25, 1, 30), 'en-us')).toBe('Oct 25, 2026, 02:30 UTC+1');
});

it('knows whether the reader’s clock shows the same', () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  expect(clocksDiffer(Date.UTC(2026, 6, 1))).toBe(false);
  setFarmZone('Europe/Istanbul');
  expect(clocksDiffer(Date.UTC(2026, 6, 1))).toBe(true);
  setFarmZone('Europe/Paris');
  expect(clocksDiffer(Date.UTC(2026, 6, 1))).toBe(false);
});

it('is this machine’s until another is known, and where no such zone is', () => {
  vi.stubEnv('TZ', 'Asia/Tokyo');
  expect(shownZone()).toBe('Asia/Tokyo');
  setFarmZone('Mars/Olympus_Mons');
  expect(shownZone()).toBe('Asia/Tokyo');
  expect(dateAt(0).getHours()).toBe(9);
  setFarmZone('Europe/Istanbul');
  expect(shownZone()).toBe('Europe/Istanbul');
});

it('outlives the page', () => {
  setFarmZone('Europe/Istanbul');
  expect(JSON.parse(localStorage.getItem('tilth.zone') ?? '')).toMatchObject({ state: { zone: 'Europe/Istanbul' } });
  localStorage.setItem('tilth.zone', JSON.stringify({ state: { zone: 7 }, version: 0 }));
  void useFarmZone.persist.rehydrate();
  expect(useFarmZone.getState().zone).toBeUndefined();
});
