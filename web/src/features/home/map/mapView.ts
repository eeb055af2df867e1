import type L from 'leaflet';
import type { MapView } from '@/lib/device/queries';
import type { Device, DeviceMap, Group, MapMarker } from '@/lib/device/types';
import { isInBox } from '@/lib/map/bounds';
import { nearestCopy } from '@/lib/map/copies';
import type { Point } from '@/lib/map/hull';
import type { Place } from '@/lib/map/place';
import type { MapScene } from '@/lib/map/sceneLayer';
import { type ClusterIndex, type DeviceFeature, deviceFeature, type Feature, featuresIn } from './clusters';
import { spread } from './spread';

/**
 * A margin around the view, so that marks that are dragged into view are already there, and a
 * shifted datum omits none.
 */
const viewMargin = 0.25;

function rounded(degrees: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Number(degrees.toFixed(5))));
}

/**
 * The box and zoom for the server's query, for which the marks are drawn too. Across the date line,
 * its west is greater than its east.
 */
export function viewOf(map: L.Map): MapView {
  const bounds = map.getBounds().pad(viewMargin);
  const isWorld = bounds.getEast() - bounds.getWest() >= 360;
  return {
    west: isWorld ? -180 : rounded(nearestCopy(bounds.getWest(), 0), -180, 180),
    south: rounded(bounds.getSouth(), -90, 90),
    east: isWorld ? 180 : rounded(nearestCopy(bounds.getEast(), 0), -180, 180),
    north: rounded(bounds.getNorth(), -90, 90),
    zoom: Math.floor(map.getZoom()),
  };
}

/** Projects a position to pixels in the plane of a zoom. */
export type Project = (place: Place) => Point;

/**
 * How far each device is drawn from its position. Sorted by name, so that the result does not
 * depend on the order of changes.
 */
export function offsetsOf(markers: readonly MapMarker[], project: Project): ReadonlyMap<string, Point> {
  const sorted = [...markers].sort((a, b) => (a.deviceName < b.deviceName ? -1 : 1));
  const offsets = spread(sorted.map(project));
  return new Map(sorted.map(({ deviceName }, i) => [deviceName, offsets[i] ?? { x: 0, y: 0 }]));
}

/**
 * A key of everything that determines the offsets: the devices' positions. It does not change with
 * presence or alarms.
 */
export function placesOf(markers: readonly MapMarker[]): string {
  return markers.map(({ deviceName, latitude, longitude }) => `${deviceName} ${latitude} ${longitude}`).join('\n');
}

/** Every device of a map that the server does not cluster, spread for a zoom. */
export function devicesOf(
  markers: readonly MapMarker[],
  project: Project,
  offsets = offsetsOf(markers, project),
): DeviceFeature[] {
  return markers.map((marker) => deviceFeature(marker, offsets.get(marker.deviceName)));
}

/**
 * The devices of a view. The chosen device comes from its own query, since the map may be behind or
 * not contain it yet.
 */
export function devicesIn(devices: readonly DeviceFeature[], view: MapView, chosen: Device | undefined): Feature[] {
  const listed = devices.find(({ marker }) => marker.deviceName === chosen?.deviceName)?.marker;
  const own = chosen && markerOf(chosen, listed?.reading);
  const seen = devices.filter(({ place, marker }) => marker.deviceName !== own?.deviceName && isInBox(view, place));
  if (!own) return seen;
  const known = devices.find(({ marker }) => marker.deviceName === own.deviceName);
  const stays = known && known.place.latitude === own.latitude && known.place.longitude === own.longitude;
  return [...seen, deviceFeature(own, stays ? known.offset : undefined)];
}

/**
 * The marks in a view of a clustered map: clusters, devices where there is room, and always the
 * chosen device by itself, which the index excludes.
 */
export function marksOf(
  shown: DeviceMap,
  index: ClusterIndex,
  view: MapView,
  selected: string | undefined,
  chosen: Device | undefined,
  project: Project,
): Feature[] {
  const features = featuresIn(index, view, view.zoom);
  const single = devicesOf(
    features.flatMap((feature) => (feature.kind === 'device' ? [feature.marker] : [])),
    project,
  );
  const marks: Feature[] = [...features.filter(({ kind }) => kind === 'cluster'), ...single];
  // From the device itself if it is known: the map may not contain it yet, or contain it within a
  // cluster.
  const marker = chosen
    ? markerOf(chosen, shown.markers.find(({ deviceName }) => deviceName === selected)?.reading)
    : shown.markers.find(({ deviceName }) => deviceName === selected);
  if (marker) marks.push(deviceFeature(marker));
  return marks;
}

function markerOf(device: Device, reading: MapMarker['reading']): MapMarker | undefined {
  const { deviceName, noteName, groupId, onlineState, alarmLevel, latitude, longitude } = device;
  if (latitude === undefined || longitude === undefined) return undefined;
  return { deviceName, noteName, groupId, onlineState, alarmLevel, latitude, longitude, reading };
}

/**
 * The scenes with the positions of their devices. A clustered map contains only some devices: a
 * scene with missing devices is left out, since its outline would be wrong.
 */
export function sceneList(
  groups: readonly Group[],
  markers: readonly MapMarker[],
  isClustered: boolean,
  countText: (count: number) => string,
): MapScene[] {
  const places = new Map<number, Place[]>();
  for (const { groupId, latitude, longitude } of markers) {
    const own = places.get(groupId);
    if (own) own.push({ latitude, longitude });
    else places.set(groupId, [{ latitude, longitude }]);
  }
  return groups.flatMap(({ id, groupName, deviceCount }) => {
    const own = places.get(id);
    if (id === 0 || !own || (isClustered && own.length < deviceCount)) return [];
    return [{ id, name: groupName, count: countText(deviceCount), places: own }];
  });
}
