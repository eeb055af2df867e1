import { HttpResponse, type JsonBodyType } from 'msw';
import type { components } from '@/api/schema.gen';
import type { AlarmNotice } from '@/lib/alarm/notices';
import type { Device, DeviceMap, Group, Latest, Overview, Series, TslProperty } from '@/lib/device/types';
import { ok, onGet } from './server';

/** A time in the middle of a day; tests count from it. */
export const noon = new Date('2026-11-21T12:00:00').getTime();

const readingOf = (value: number | boolean | string, time: number, unit: string, name: string, precision?: number) => ({
  value,
  time,
  unit,
  name,
  precision,
});

export function weather(temperature: number, time: number): Latest {
  return {
    airTemperature: readingOf(temperature, time, '°C', 'Air temperature', 1),
    airHumidity: readingOf(91, time, '%', 'Relative humidity', 0),
  };
}

let lastId = 0;

export function device(change: Partial<Device> = {}): Device {
  lastId += 1;
  const id = change.id ?? lastId;
  return {
    id,
    deviceName: `WS-${id}`,
    serial: `A-${id}`,
    noteName: `Mast ${id}`,
    groupId: 1,
    groupName: 'North orchard',
    onlineState: 1,
    state: 0,
    createTime: noon - 1e9,
    onlineTime: noon - 3_600_000,
    lastContact: noon - 8000,
    productId: 1,
    productName: 'Weather mast',
    product: 'weather-mast',
    offlineAfter: 600_000,
    type: 1,
    mainSign: 'airTemperature',
    lastData: [weather(3.4, noon - 8000)],
    ...change,
  };
}

export function group(change: Partial<Group> = {}): Group {
  const deviceList = change.deviceList ?? [];
  return {
    id: 1,
    groupName: 'North orchard',
    groupStatus: 1,
    deviceCount: deviceList.length,
    onlineCount: deviceList.filter(({ onlineState }) => onlineState === 1).length,
    figures: [],
    deviceList,
    ...change,
  };
}

export function overview(change: Partial<Overview> = {}): Overview {
  return {
    deviceCount: 248,
    onlineCount: 231,
    offlineCount: 17,
    todayAlarmCount: 6,
    sceneCount: 5,
    unassignedCount: 1,
    pendingAlarmCount: 2,
    offlineTodayCount: 3,
    time: noon - 4000,
    ...change,
  };
}

const property = (identifier: string, yeuName: string, elementUnit: string): TslProperty => ({
  identifier,
  functionName: identifier,
  yeuName,
  yeuUrl: '',
  elementUnit,
  elementData: '',
  dataType: 'number',
  accessMode: 'r',
});

export const model = [
  property('airTemperature', 'Air temperature', '°C'),
  property('airHumidity', 'Relative humidity', '%'),
];

/** Computed from the model's two properties. */
export const dewPoint: TslProperty = {
  ...property('dewPoint', 'Dew point', '°C'),
  formula: 'dewPoint',
  inputs: ['airTemperature', 'airHumidity'],
};

/** The state of a test's server; a test changes it before or between calls. */
type Attention = components['schemas']['Attention'];

export interface TelemetryServer {
  overview: Overview;
  groups: Group[];
  map: DeviceMap;
  attention: Attention;
  series: Series;
  model: TslProperty[];
  /** Devices in addition to those of the groups, for pages and look-ups by name. */
  otherDevices: Device[];
  /** Open notices. */
  notices: AlarmNotice[];
  /** Paths that answer with another envelope or status. */
  failingPaths: Map<string, () => Response>;
  calls: URL[];
}

export function telemetryServer(change: Partial<TelemetryServer> = {}): TelemetryServer {
  const state: TelemetryServer = {
    overview: overview(),
    groups: [],
    map: { markers: [], clusters: [], total: 0, unplaced: 0 },
    attention: { alarmCount: 0, silentCount: 0, batteryCount: 0, items: [], time: noon },
    series: {},
    model,
    otherDevices: [],
    notices: [],
    failingPaths: new Map(),
    calls: [],
    ...change,
  };
  const all = () => [...state.groups.flatMap(({ deviceList }) => deviceList), ...state.otherDevices];
  const answer = (path: string, data: (query: URLSearchParams) => JsonBodyType | object) => {
    onGet(path, ({ request }) => {
      const url = new URL(request.url);
      state.calls.push(url);
      return state.failingPaths.get(path)?.() ?? ok(data(url.searchParams) as JsonBodyType);
    });
  };
  answer('/admin-api/client/pc/home/overview-statistics', () => state.overview);
  answer('/admin-api/client/pc/device/get-group-device-list', (query) => {
    const text = (query.get('deviceName') ?? '').toLowerCase();
    if (text === '') return state.groups;
    return state.groups.map((each) => {
      const deviceList = each.deviceList.filter(({ noteName, deviceName, serial }) =>
        [noteName, deviceName, serial].some((name) => name.toLowerCase().includes(text)),
      );
      const onlineCount = deviceList.filter(({ onlineState }) => onlineState === 1).length;
      return { ...each, deviceList, deviceCount: deviceList.length, onlineCount };
    });
  });
  answer('/admin-api/client/pc/home/attention', () => state.attention);
  answer('/admin-api/client/pc/device/map', () => state.map);
  answer('/admin-api/client/pc/device/page', (query) => {
    const text = (query.get('deviceName') ?? '').toLowerCase();
    const groupId = query.get('groupId');
    const found = all().filter(
      ({ noteName, deviceName, serial, ...rest }) =>
        [noteName, deviceName, serial].some((name) => name.toLowerCase().includes(text)) &&
        (groupId === null || rest.groupId === Number(groupId)),
    );
    const [pageNo, pageSize] = [Number(query.get('pageNo')), Number(query.get('pageSize'))];
    return { list: found.slice((pageNo - 1) * pageSize, pageNo * pageSize), total: found.length };
  });
  answer('/admin-api/client/pc/device/deviceNames/get', (query) => {
    const list = all().filter(({ deviceName }) => query.get('deviceNames')?.split(',').includes(deviceName));
    return { list, total: list.length };
  });
  answer('/admin-api/client/pc/alarm-notice/page', (query) => {
    const found = state.notices.filter(({ deviceName }) => deviceName === query.get('deviceNameStr'));
    return { list: found.slice(0, Number(query.get('pageSize'))), total: found.length };
  });
  answer('/admin-api/device/data/all/data-last', (query) => {
    return all().find(({ deviceName }) => deviceName === query.get('deviceName'))?.lastData[0] ?? {};
  });
  answer('/admin-api/client/pc/device/get/tsl', (query) => ({
    deviceName: query.get('deviceName'),
    propertie: state.model,
  }));
  answer('/admin-api/client/pc/device/get/format-map/time-interval-data', () => state.series);
  answer('/admin-api/system/console/settings', () => ({ version: '0.1.0', defaultTenant: 'demo', mapTiles: null }));
  return state;
}

export const noAnswer = () => HttpResponse.error();
