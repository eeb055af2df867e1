import Supercluster from 'supercluster';
import type { Place } from '@/lib/map/place';
import { type MapCluster, type MapMarker, type MarkState, markOf } from '../types';

/** What stands at a place of the map: a device, or a number of them. */
export type Feature =
  | { kind: 'device'; key: string; place: Place; marker: MapMarker }
  | { kind: 'cluster'; key: string; place: Place; count: number; online: number; alarms: number; box: Box };

export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Pixels within which devices become one mark. */
const radius = 38;
/** From the next zoom on every device stands by itself. */
const closestClusters = 17;

interface Sums {
  online: number;
  alarms: number;
}

export type ClusterIndex = Supercluster<MapMarker, Sums>;

export function clusterIndex(markers: readonly MapMarker[]): ClusterIndex {
  const index: ClusterIndex = new Supercluster<MapMarker, Sums>({
    radius,
    extent: 256,
    maxZoom: closestClusters,
    map: ({ onlineState, alarmLevel }) => ({ online: onlineState, alarms: alarmLevel === undefined ? 0 : 1 }),
    reduce: (sums, { online, alarms }) => {
      sums.online += online;
      sums.alarms += alarms;
    },
  });
  return index.load(
    markers.map((marker) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [marker.longitude, marker.latitude] },
      properties: marker,
    })),
  );
}

export function deviceFeature(marker: MapMarker): Feature {
  const { deviceName, latitude, longitude } = marker;
  return { kind: 'device', key: `device ${deviceName}`, place: { latitude, longitude }, marker };
}

/** The marks of a view. Coordinates are those that the index was made of. */
export function featuresIn(index: ClusterIndex, box: Box, zoom: number): Feature[] {
  return index.getClusters([box.west, box.south, box.east, box.north], zoom).map((found): Feature => {
    const [longitude = 0, latitude = 0] = found.geometry.coordinates;
    const { properties } = found;
    if (!('cluster' in properties)) return deviceFeature(properties);
    const { cluster_id: id, point_count: count, online, alarms } = properties;
    const place = { latitude, longitude };
    return { kind: 'cluster', key: `cluster ${id}`, place, count, online, alarms, box: boxOf(index, id, count) };
  });
}

function boxOf(index: ClusterIndex, id: number, count: number): Box {
  const leaves = index.getLeaves(id, count);
  return boxAround(leaves.map(({ properties: { latitude, longitude } }) => ({ latitude, longitude })));
}

export function boxAround(places: readonly Place[]): Box {
  const box = { west: 180, south: 90, east: -180, north: -90 };
  for (const { latitude, longitude } of places) {
    box.west = Math.min(box.west, longitude);
    box.east = Math.max(box.east, longitude);
    box.south = Math.min(box.south, latitude);
    box.north = Math.max(box.north, latitude);
  }
  return box;
}

/** A cluster that the server made, drawn like one of ours. */
export function serverCluster({ latitude, longitude, count, onlineCount, alarmCount, ...box }: MapCluster): Feature {
  const key = `cluster ${latitude} ${longitude} ${count}`;
  return { kind: 'cluster', key, place: { latitude, longitude }, count, online: onlineCount, alarms: alarmCount, box };
}

/** What a mark shows; a cluster without one device online is as quiet as they are. */
export function stateOf(feature: Feature): MarkState {
  if (feature.kind === 'device') return markOf(feature.marker);
  if (feature.alarms > 0) return 'alarm';
  return feature.online > 0 ? 'online' : 'offline';
}
