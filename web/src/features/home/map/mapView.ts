import L from 'leaflet';
import type { MapView } from '@/lib/device/queries';
import type { Device, DeviceMap, Group, MapMarker } from '@/lib/device/types';
import type { Place } from '@/lib/map/place';
import type { MapScene } from '@/lib/map/sceneLayer';
import { type ClusterIndex, deviceFeature, type Feature, featuresIn } from './clusters';

/** Beyond the frame, so that what is dragged in is there already, and a shifted datum leaves nothing out. */
const beyond = 0.25;

function rounded(degrees: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Number(degrees.toFixed(5))));
}

/** The box and zoom to ask the server for, which the marks are drawn for too. */
export function viewOf(map: L.Map): MapView {
  const bounds = map.getBounds().pad(beyond);
  return {
    west: rounded(bounds.getWest(), -180, 180),
    south: rounded(bounds.getSouth(), -90, 90),
    east: rounded(bounds.getEast(), -180, 180),
    north: rounded(bounds.getNorth(), -90, 90),
    zoom: Math.floor(map.getZoom()),
  };
}

/** What to draw in a view: devices and clusters, and always the chosen device by itself, which the index leaves out. */
export function marksOf(
  shown: DeviceMap,
  index: ClusterIndex,
  view: MapView,
  selected: string | undefined,
  chosen: Device | undefined,
): Feature[] {
  const features = featuresIn(index, view, view.zoom);
  // By the device where it is known: the map may not hold it yet, or hold it within a cluster.
  const marker = chosen ? markerOf(chosen) : shown.markers.find(({ deviceName }) => deviceName === selected);
  if (marker) features.push(deviceFeature(marker));
  return features;
}

function markerOf(device: Device): MapMarker | undefined {
  const { deviceName, noteName, groupId, onlineState, alarmLevel, latitude, longitude } = device;
  if (latitude === undefined || longitude === undefined) return undefined;
  return { deviceName, noteName, groupId, onlineState, alarmLevel, latitude, longitude };
}

/**
 * The scenes with the places of their devices. Of a crowded map only some devices are known: a scene whose hull would be a part of
 * it is left out.
 */
export function sceneList(
  groups: readonly Group[],
  markers: readonly MapMarker[],
  crowded: boolean,
  told: (count: number) => string,
): MapScene[] {
  const places = new Map<number, Place[]>();
  for (const { groupId, latitude, longitude } of markers) {
    const own = places.get(groupId);
    if (own) own.push({ latitude, longitude });
    else places.set(groupId, [{ latitude, longitude }]);
  }
  return groups.flatMap(({ id, groupName, deviceCount }) => {
    const own = places.get(id);
    if (id === 0 || !own || (crowded && own.length < deviceCount)) return [];
    return [{ id, name: groupName, count: told(deviceCount), places: own }];
  });
}

/** Around everything that has a position; null when nothing has. */
export function everywhere(data: DeviceMap, at: (place: Place) => L.LatLngTuple): L.LatLngBounds | null {
  const bounds = L.latLngBounds([]);
  for (const marker of data.markers) bounds.extend(at(marker));
  for (const { west, south, east, north } of data.clusters) {
    bounds.extend(at({ latitude: south, longitude: west })).extend(at({ latitude: north, longitude: east }));
  }
  return bounds.isValid() ? bounds : null;
}
