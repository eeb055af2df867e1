import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Device, TslProperty } from '@/lib/device/types';
import { setTenantZone } from '@/lib/format/zone';
import { lineOfValues } from '@/test/analysisColumns';
import type { AnalysisSearch } from '../search';
import { drawnOf, type Plan, planOf, type Source } from './plan';

const day = 86_400_000;
const now = Date.UTC(2026, 5, 11);
const span = { from: now - 10 * day, to: now };
beforeEach(() => setTenantZone('UTC'));
afterEach(() => setTenantZone(undefined));

const property = (identifier: string, elementUnit: string, change: Partial<TslProperty> = {}): TslProperty => ({
  identifier,
  functionName: identifier,
  yeuName: identifier,
  yeuUrl: '',
  elementUnit,
  elementData: '',
  dataType: 'number',
  accessMode: 'r',
  ...change,
});
const source = (deviceName: string, ...model: TslProperty[]): Source => ({
  device: { deviceName, noteName: `The ${deviceName}` } as Device,
  color: 0,
  model,
});
const temperature = property('airTemperature', '°C');
const humidity = property('airHumidity', '%');
const rain = property('rainfall', 'mm');

const plan = (sources: Source[], search: AnalysisSearch = {}, signs = ['airHumidity', 'airTemperature']): Plan =>
  planOf({ sources, signs, search, span, points: 900, rain: false });

it('asks once for each device that has a chosen attribute, in the order of the choice', () => {
  const { asks, lines, axis, season } = plan([
    source('A', temperature, humidity),
    source('B', rain),
    source('C', temperature),
  ]);
  expect(asks).toEqual([
    { deviceName: 'A', signs: ['airHumidity', 'airTemperature'], span, by: 'auto', points: 900 },
    { deviceName: 'C', signs: ['airTemperature'], span, by: 'auto', points: 900 },
  ]);
  expect(lines.map(({ source: index, compared, ask }) => [index, compared, ask])).toEqual([
    [0, false, 0],
    [2, false, 1],
  ]);
  expect([axis, season]).toEqual(['time', null]);
  expect(plan([source('A', temperature)], { by: 'hour' }).asks[0]?.by).toBe('hour');
});

it('asks for the same dates of the year before', () => {
  const { asks, lines } = plan([source('A', temperature)], { compare: 'date' });
  expect(asks.map((ask) => ask.span)).toEqual([{ from: span.from - 365 * day, to: span.to - 365 * day }, span]);
  expect(lines.map(({ compared }) => compared)).toEqual([true, false]);
  // All that there is has no year before it.
  const all = { sources: [source('A', temperature)], signs: ['airTemperature'], points: 900, rain: false };
  expect(planOf({ ...all, search: { compare: 'date' }, span: { from: 0, to: now } }).asks).toHaveLength(1);
});

it('asks for readings of directions and for on-times of each switch, as long as the range is short', () => {
  const wind = source('A', temperature, property('windDirection', '°'), property('pump', '', { dataType: 'boolean' }));
  const signs = ['airTemperature', 'windDirection', 'pump'];
  const short = plan([wind], { by: 'day' }, signs);
  expect(short.asks.map((ask) => [ask.by, ask.signs])).toEqual([
    ['day', ['airTemperature']],
    ['raw', ['windDirection']],
    ['onTimes', ['pump']],
  ]);
  expect(short.leftOut).toBe(false);
  const year = { sources: [wind], signs, search: {}, points: 900, rain: false };
  const long = planOf({ ...year, span: { from: now - 365 * day, to: now } });
  expect(long.asks.map((ask) => ask.signs)).toEqual([['airTemperature'], ['pump']]);
  expect(long.leftOut).toBe(true);
  const pump = { ...year, signs: ['pump'] };
  expect(planOf({ ...pump, span: { from: now - 400 * day, to: now } })).toMatchObject({ leftOut: false });
  expect(planOf({ ...pump, span: { from: now - 401 * day, to: now } })).toMatchObject({ asks: [], leftOut: true });
  expect(planOf({ ...pump, span: { from: 0, to: now } })).toMatchObject({ asks: [], leftOut: true });
});

it('asks for every reading only of ranges that a browser can hold', () => {
  const sources = [source('A', temperature)];
  const asked = (days: number, from = now - days * day) =>
    planOf({
      sources,
      signs: ['airTemperature'],
      search: { by: 'raw' },
      span: { from, to: now },
      points: 900,
      rain: false,
    });
  expect(asked(31)).toMatchObject({ rawTooLong: false, asks: [{ by: 'raw' }] });
  expect(asked(32)).toMatchObject({ rawTooLong: true, asks: [{ by: 'auto' }] });
  expect(asked(1, 0)).toMatchObject({ rawTooLong: true, asks: [{ by: 'auto' }] });
});

it('asks for the rain of the first device that measures it, unless that is drawn anyway', () => {
  const wanted = { sources: [source('A', temperature), source('B', rain)], search: {}, span, points: 900, rain: true };
  const found = planOf({ ...wanted, signs: ['airTemperature'] });
  expect(found.rain).toMatchObject({ source: 1, ask: 1, attribute: { sign: 'rainfall', kind: 'sum' } });
  expect(found.asks[1]).toMatchObject({ deviceName: 'B', signs: ['rainfall'] });
  const both = planOf({ ...wanted, sources: [source('A', temperature, rain)], signs: ['airTemperature'] });
  expect(both.asks.map(({ signs }) => signs)).toEqual([['airTemperature', 'rainfall']]);
  expect(both.rain?.ask).toBe(0);
  expect(planOf({ ...wanted, signs: ['airTemperature', 'rainfall'] }).rain).toBeNull();
  const byWarmth = { ...wanted, search: { compare: 'degreeDays' as const }, signs: ['airTemperature'] };
  expect(planOf(byWarmth).rain).toBeNull();
});

it('plans two seasons by degree days, of the first device that measures the air', () => {
  const sources = [source('A', humidity), source('B', temperature)];
  const { axis, season, asks, span: own } = plan(sources, { compare: 'degreeDays', since: '06-01', base: 7 });
  const from = Date.UTC(2026, 5, 1);
  expect(axis).toBe('degreeDays');
  expect(own).toEqual({ from, to: now });
  expect(season).toMatchObject({ base: 7, since: '06-01', asks: [0, 1] });
  expect(season?.source.device.deviceName).toBe('B');
  expect(asks[0]).toMatchObject({ deviceName: 'B', signs: ['airTemperature'], by: 'day', span: { from, to: now } });
  expect(asks[1]?.span).toEqual({ from: from - 365 * day, to: now - 365 * day });
  // Each device's own line and the one of the year before.
  expect(asks).toHaveLength(6);
  expect(plan([source('A', humidity)], { compare: 'degreeDays' })).toMatchObject({ axis: 'time', season: null });
});

const answer = (sign: string, from: number, days: number, mean = 20) =>
  new Map([
    [
      sign,
      lineOfValues(
        'day',
        Array.from({ length: days }, (_, index) => from + index * day),
        Array.from({ length: days }, () => mean),
      ),
    ],
  ]);

it('puts the year before over the same dates', () => {
  const sources = [source('A', temperature)];
  const asked = plan(sources, { compare: 'date' });
  const drawn = drawnOf(asked, sources, [
    answer('airTemperature', span.from - 365 * day, 3),
    answer('airTemperature', span.from, 3),
  ]);
  expect(drawn.columns.map(({ key, compared, color, device }) => ({ key, compared, color, device }))).toEqual([
    { key: 'A airTemperature before', compared: true, color: 0, device: 'The A' },
    { key: 'A airTemperature', compared: false, color: 0, device: 'The A' },
  ]);
  expect(drawn.columns[0]?.line.times).toEqual(drawn.columns[1]?.line.times);
  expect(drawn.span).toBe(asked.span);
});

it('draws what came, in the colour of its device, and all from the first value on', () => {
  const sources = [source('A', temperature), { ...source('B', temperature), color: 1 }];
  const asked = planOf({
    sources,
    signs: ['airTemperature'],
    search: {},
    span: { from: 0, to: now },
    points: 900,
    rain: false,
  });
  const drawn = drawnOf(asked, sources, [new Map(), answer('airTemperature', span.from, 3)]);
  expect(drawn.columns.map(({ key, color }) => [key, color])).toEqual([['B airTemperature', 1]]);
  expect(drawn.span).toEqual(span);
  expect(drawnOf(asked, sources, [new Map(), new Map()]).span).toEqual({ from: now - 3_600_000, to: now });
});

it('draws no line of a season whose degree days cannot be relied on', () => {
  const sources = [source('A', temperature)];
  const asked = plan(sources, { compare: 'degreeDays', since: '06-01', base: 10 }, ['airTemperature']);
  const [from, before] = [Date.UTC(2026, 5, 1), Date.UTC(2025, 5, 1)];
  const [own, gappy] = [answer('airTemperature', from, 10), answer('airTemperature', before, 3)];
  const drawn = drawnOf(asked, sources, [own, gappy, gappy, own]);
  expect(drawn.season?.days.map(({ reliable }) => reliable)).toEqual([true, false]);
  expect(drawn.columns.map(({ key }) => key)).toEqual(['A airTemperature']);
  expect([...(drawn.columns[0]?.line.times ?? [])]).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  expect(drawn.span).toEqual({ from: 0, to: 100 });
});
