import type { LiveReading } from '@/lib/live/useLive';
import { unknownRaw } from '../corrected';
import type { Device, DeviceMap, DevicePage, Group, Latest, MapMarker, Overview, Series, SeriesPoint } from '../types';
import { type Changes, replaces } from './changes';

/**
 * Applies events to cached data. Every function returns the same object when nothing in it changes,
 * so that nothing renders again. All are idempotent: applying an event twice, or one that the
 * answer already included, changes nothing.
 */

/** Like map, but returns the same array when no element changes. */
function mapSame<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let changed: T[] | undefined;
  items.forEach((item, i) => {
    const next = change(item);
    if (next === item) return;
    changed ??= [...items];
    changed[i] = next;
  });
  return changed ?? items;
}

export function applyToLatest(latest: Latest, deviceName: string, changes: Changes): Latest {
  const values = changes.latest.get(deviceName);
  if (!values) return latest;
  let next = latest;
  for (const [sign, newest] of values) {
    const known = latest[sign];
    // A value without a name and a unit cannot be shown: useDeviceLive fetches those.
    if (!known || !replaces(newest, known) || (newest.time === known.time && newest.value === known.value)) continue;
    if (next === latest) next = { ...latest };
    const { arrival: _, raw, clamped, ...rest } = known;
    // Events do not tell the number as it arrived; that a calibration corrects the value stays true until
    // the calibrations change, and then everything is fetched.
    next[sign] = { ...rest, ...newest, ...(raw === undefined || clamped ? {} : { raw: unknownRaw }) };
  }
  return next;
}

export function applyToDevice(device: Device, changes: Changes): Device {
  const { deviceName } = device;
  let next = device;
  const latest = device.lastData[0];
  if (latest && changes.latest.has(deviceName)) {
    const changed = applyToLatest(latest, deviceName, changes);
    if (changed !== latest) next = { ...next, lastData: [changed] };
  }
  // Any arrival counts as contact, however old the reading.
  if (hasNewReadings(changes.readings.get(deviceName), latest) && changes.at > (device.lastContact ?? 0))
    next = { ...next, lastContact: changes.at };
  const presence = changes.presence.get(deviceName);
  if (presence && presence.onlineState !== device.onlineState && presence.time >= lastTransition(device)) {
    next =
      presence.onlineState === 1
        ? { ...next, onlineState: 1, state: 0, onlineTime: presence.time }
        : { ...next, onlineState: 0, state: 1, offlineTime: presence.time };
  }
  return next;
}

/**
 * Whether readings came that the answer did not hold. The answer also holds everything that came
 * before a reading that it holds.
 */
function hasNewReadings(readings: readonly LiveReading[] = [], latest: Latest = {}): boolean {
  const lastHeld = readings.findLastIndex(({ time, values }) => {
    const known = Object.entries(values).filter(([sign]) => latest[sign]);
    return (
      known.length > 0 && known.every(([sign, value]) => latest[sign]?.time === time && latest[sign].value === value)
    );
  });
  return lastHeld < readings.length - 1;
}

function lastTransition(device: Device): number {
  return Math.max(device.onlineTime ?? 0, device.offlineTime ?? 0);
}

export function applyToGroups(groups: Group[], changes: Changes): Group[] {
  return mapSame(groups, (group) => {
    let onlineDelta = 0;
    const deviceList = mapSame(group.deviceList, (device) => {
      const next = applyToDevice(device, changes);
      onlineDelta += next.onlineState - device.onlineState;
      return next;
    });
    if (deviceList === group.deviceList) return group;
    return {
      ...group,
      deviceList: deviceList as Device[],
      onlineCount: clamp(group.onlineCount + onlineDelta, group.deviceCount),
    };
  }) as Group[];
}

export function applyToPage(page: DevicePage, changes: Changes): DevicePage {
  const list = mapSame(page.list, (device) => applyToDevice(device, changes));
  return list === page.list ? page : { ...page, list: list as Device[] };
}

/** `sign` is the property whose values the markers have. */
export function applyToMap(map: DeviceMap, changes: Changes, sign?: string): DeviceMap {
  if (changes.presence.size === 0 && (sign === undefined || changes.latest.size === 0)) return map;
  const markers = mapSame(map.markers, (marker) => applyToMarker(marker, changes, sign));
  return markers === map.markers ? map : { ...map, markers: markers as DeviceMap['markers'] };
}

function applyToMarker(marker: MapMarker, changes: Changes, sign: string | undefined): MapMarker {
  let next = marker;
  const presence = changes.presence.get(marker.deviceName);
  if (presence && presence.onlineState !== marker.onlineState) next = { ...next, onlineState: presence.onlineState };
  const newest = sign === undefined ? undefined : changes.latest.get(marker.deviceName)?.get(sign);
  const { reading } = marker;
  if (typeof newest?.value !== 'number' || (reading && !replaces(newest, reading))) return next;
  if (reading?.time === newest.time && reading.value === newest.value) return next;
  const { time, arrival, value } = newest;
  return { ...next, reading: arrival === undefined ? { time, value } : { time, arrival, value } };
}

/** Events from before the server's count are already counted. */
export function applyToOverview(overview: Overview, changes: Changes): Overview {
  const { deviceCount } = overview;
  let { onlineCount, offlineTodayCount, time: counted } = overview;
  for (const { onlineState, time } of changes.transitions) {
    if (time <= overview.time) continue;
    counted = Math.max(counted, time);
    onlineCount += onlineState === 1 ? 1 : -1;
    // A device that comes back may have gone offline yesterday: only the server knows, and it is
    // asked soon.
    if (onlineState === 0) offlineTodayCount += 1;
  }
  if (counted === overview.time) return overview;
  const online = clamp(onlineCount, deviceCount);
  return {
    ...overview,
    onlineCount: online,
    offlineCount: deviceCount - online,
    offlineTodayCount: clamp(offlineTodayCount, deviceCount - online),
    time: counted,
  };
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}

const dayMs = 24 * 3_600_000;
/**
 * The next fetch thins out more points than this; a day of one reading every ten seconds is 8,640.
 */
const maxPoints = 10_000;

/** Appends new points to the line of the last 24 hours and drops the expired ones. */
export function applyToDay(series: Series, deviceName: string, changes: Changes): Series {
  const readings = changes.readings.get(deviceName);
  if (!readings) return series;
  let next = series;
  for (const [sign, points] of Object.entries(series)) {
    const grown = appendReadings(points, sign, readings);
    if (grown === points) continue;
    if (next === series) next = { ...series };
    next[sign] = grown.filter(({ time }) => time > changes.at - dayMs).slice(-maxPoints);
  }
  return next;
}

function appendReadings(points: SeriesPoint[], sign: string, readings: readonly LiveReading[]): SeriesPoint[] {
  const grown = [...points];
  for (const { time, values } of readings) {
    const value = values[sign];
    const last = grown.at(-1);
    // A late reading belongs into the middle; the next fetch puts it there.
    if (value === undefined || (last && time <= last.time)) continue;
    grown.push({ time, value });
  }
  return grown.length === points.length ? points : grown;
}
