import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { components } from '@/api/schema.gen';
import type { AlarmRule } from '@/lib/alarm/types';
import type { TslProperty } from '@/lib/device/types';
import { onTimesAnswer } from './analysisColumns';
import { analysisViewServer } from './analysisViewServer';
import { openConsole } from './console';
import { fakeStreams } from './fakeStreams';
import type { Notice } from './samples';
import { ok, onGet } from './server';
import { signedIn } from './session';
import { shellServer } from './shellServer';
import { device } from './telemetryServer';
import { mastTimes, twoMasts } from './twoMasts';

type Schemas = components['schemas'];

const client = '/admin-api/client/pc';
export const paths = {
  devices: `${client}/device/deviceNames/get`,
  model: `${client}/device/get/tsl`,
  lines: `${client}/device/get/columns/aggregated-data`,
  onTimes: `${client}/device/get/on-times`,
  rules: `${client}/alarm-rules/page`,
  notices: `${client}/alarm-notice/page`,
};

export const day = 86_400_000;
const hour = 3_600_000;
const lengths = { raw: 10 * 60_000, hour, day };

const property = (
  identifier: string,
  yeuName: string,
  elementUnit: string,
  change: Partial<TslProperty> = {},
): TslProperty => ({
  identifier,
  functionName: identifier,
  yeuName,
  yeuUrl: '',
  elementUnit,
  elementData: '',
  dataType: 'number',
  accessMode: 'r',
  precision: 1,
  ...change,
});

export const analysisModel = [
  property('airHumidity', 'Humidity', '%', { precision: 0 }),
  property('airTemperature', 'Air temperature', '°C'),
  property('rainfall', 'Rainfall', 'mm'),
  property('heating', 'Heating', '', { dataType: 'boolean', precision: undefined }),
  property('note', 'Note', '', { dataType: 'text', precision: undefined }),
];

/**
 * A tenant with two masts that have a reading for every day of two years, and a signed-in user. A
 * day's air temperature is 20 °C on average, three degrees to either side; other values are 50.
 */
export function analysisServer() {
  signedIn();
  shellServer();
  const state = {
    /** What each device measures. */
    models: { 'WS-1': analysisModel, 'WS-2': analysisModel } as Record<string, TslProperty[]>,
    /** Readings began this long ago. */
    age: 800 * day,
    /** Whether a device is silent at a time. */
    silent: (_deviceName: string, _time: number): boolean => false,
    /** What is known of each switch in a range. */
    onTimes: (startTime: number, endTime: number) => onTimesAnswer({ startTime, endTime }),
    rules: [] as AlarmRule[],
    notices: [] as Notice[],
    views: analysisViewServer(),
    /** Answers that replace the usual ones, by path. */
    answers: new Map<string, () => Response | Promise<Response>>(),
    asked: [] as { path: string; query: URLSearchParams }[],
  };
  const mast = (id: number, noteName: string) =>
    device({ id, deviceName: `WS-${id}`, noteName, latitude: 37.8, longitude: 27.8, ...mastTimes() });
  const masts = [mast(1, 'Orchard mast'), mast(2, 'Lower mast')];
  const base = twoMasts();
  for (const group of base.groups) group.deviceList = masts;

  const query = (path: string, data: (query: URLSearchParams) => unknown) =>
    onGet(path, async ({ request }) => {
      const { searchParams } = new URL(request.url);
      state.asked.push({ path, query: searchParams });
      return (await state.answers.get(path)?.()) ?? ok(data(searchParams) as never);
    });
  const namesIn = (query: URLSearchParams, name: string) => (query.get(name) ?? '').split(',');
  query(paths.devices, (query) => {
    const list = masts.filter(({ deviceName }) => namesIn(query, 'deviceNames').includes(deviceName));
    return { list, total: list.length };
  });
  query(paths.model, (query) => {
    const deviceName = query.get('deviceName') ?? '';
    return { deviceName, propertie: state.models[deviceName] ?? [] };
  });
  query(paths.lines, (query) => aggregated(query, (name, time) => state.silent(name, time), Date.now() - state.age));
  query(paths.onTimes, (query) => state.onTimes(Number(query.get('startTime')), Number(query.get('endTime'))));
  query(paths.rules, () => ({ list: state.rules, total: state.rules.length }));
  query(paths.notices, (query) => {
    const list = state.notices.filter(({ deviceName }) => namesIn(query, 'deviceNameStr').includes(deviceName));
    return { list, total: list.length };
  });
  const live = fakeStreams();
  onGet(`${client}/live`, ({ request }) => live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal));
  return state;
}

export type AnalysisServer = ReturnType<typeof analysisServer>;

const meanOf = (sign: string) => (sign === 'airTemperature' ? 20 : 50);

function aggregated(
  query: URLSearchParams,
  silent: (deviceName: string, time: number) => boolean,
  begin: number,
): Schemas['AggregatedData'] {
  const asked = query.get('resolution') as 'auto' | keyof typeof lengths;
  const resolution = asked === 'auto' ? 'day' : asked;
  const length = lengths[resolution];
  const [from, to] = [Math.max(begin, Number(query.get('startTime'))), Number(query.get('endTime'))];
  const times: number[] = [];
  for (let time = Math.ceil(from / length) * length; time <= to; time += length)
    if (!silent(query.get('deviceName') ?? '', time)) times.push(time);
  if (times.length === 0) return { resolution };
  const steps = times.map((time, index) => time - (times[index - 1] ?? 0));
  const signs = (query.get('yeuSignList') ?? '').split(',');
  const list = (value: number) => times.map(() => value);
  if (resolution === 'raw') {
    return { resolution, readings: signs.map((sign) => ({ times: steps, values: { [sign]: list(meanOf(sign)) } })) };
  }
  return {
    resolution,
    aggregates: signs.map((identifier) => {
      const value = meanOf(identifier);
      const [low, mean, high] = [list(value - 3), list(value), list(value + 3)];
      return { identifier, times: steps, low, mean, high, count: list(24), sum: list(24 * value) };
    }),
  };
}

/** Opens the analysis page and waits until nothing is fetched any more. */
export async function openAnalysis(address: string) {
  const opened = await openConsole(`/analysis${address}`);
  await screen.findByRole('heading', { level: 1 });
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return { ...opened, user: userEvent.setup(), search: () => opened.router.state.location.search };
}

export const slider = () => screen.findByRole('slider', { name: 'Place in the chart' });

/** The keys of the lines that are drawn: a device, a sign, and whether it is of the year before. */
export const drawnLines = () =>
  [...document.querySelectorAll('[data-line]')].map((line) => line.getAttribute('data-line'));

/** All that is written in the picture. */
export const pictureTexts = () =>
  [...document.querySelectorAll('[data-chart] svg text')].map((text) => text.textContent);

export const chips = () =>
  within(screen.getByRole('list', { name: 'Devices' }))
    .getAllByRole('listitem')
    .map((chip) => chip.textContent);

export const askedOf = ({ asked }: AnalysisServer, path: string) =>
  asked.filter((call) => call.path === path).map(({ query }) => Object.fromEntries(query));
