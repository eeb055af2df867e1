import type { Feature as GeoFeature, Point as GeoPoint } from 'geojson';
import Supercluster from 'supercluster';
import type { MapCluster, MapMarker } from '@/lib/device/types';
import type { Box } from '@/lib/map/bounds';
import { middleOf, nearestCopy } from '@/lib/map/copies';
import type { Point } from '@/lib/map/hull';
import type { Place } from '@/lib/map/place';

/**
 * A mark on the map: a device, shifted by `offset` pixels so that it touches no other mark, or a
 * cluster of devices with their bounding box.
 */
export type Feature =
  | { kind: 'device'; key: string; place: Place; marker: MapMarker; offset: Point; room?: Room }
  | { kind: 'cluster'; key: string; place: Place; count: number; online: number; alarms: number; box: Box };

/** What a device's mark has room for without touching another mark. */
export interface Room {
  /** Its value as a pill; otherwise it is a dot in the value's colour. */
  pill: boolean;
  name: boolean;
}

/** Devices within this many pixels become one mark. */
const radius = 38;
/** From the next zoom on, every device is a mark of its own. */
const closestClusters = 17;

/** What clustering sums up. */
interface Sums extends Box {
  count: number;
  online: number;
  alarms: number;
}

/** A point of the index: one device, or a cluster from the server. */
interface Leaf extends Sums {
  marker?: MapMarker;
}

/**
 * Clustering knows no neighbours across ±180. The index therefore holds longitudes from the
 * devices' middle on: what is opposite of it is as far from them as can be.
 */
export interface ClusterIndex {
  points: Supercluster<Leaf, Sums>;
  middle: number;
}

function leafOf(marker: MapMarker): Leaf {
  const { longitude, latitude, onlineState, alarmLevel } = marker;
  return {
    marker,
    count: 1,
    online: onlineState,
    alarms: alarmLevel === undefined ? 0 : 1,
    west: longitude,
    east: longitude,
    south: latitude,
    north: latitude,
  };
}

/**
 * The server clusters by a grid whose neighbouring clusters may overlap, so its clusters are
 * clustered again together with the devices.
 */
export function clusterIndex(markers: readonly MapMarker[], clusters: readonly MapCluster[]): ClusterIndex {
  const middle = middleOf([...markers, ...clusters].map(({ longitude }) => longitude));
  const point = ({ longitude, latitude }: Place, leaf: Leaf): GeoFeature<GeoPoint, Leaf> => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [nearestCopy(longitude, middle) - middle, latitude] },
    properties: { ...leaf, west: nearestCopy(leaf.west, middle), east: nearestCopy(leaf.east, middle) },
  });
  const points = new Supercluster<Leaf, Sums>({
    radius,
    extent: 256,
    maxZoom: closestClusters,
    map: ({ marker: _, ...sums }) => sums,
    reduce: (sums, more) => {
      sums.count += more.count;
      sums.online += more.online;
      sums.alarms += more.alarms;
      sums.west = Math.min(sums.west, more.west);
      sums.south = Math.min(sums.south, more.south);
      sums.east = Math.max(sums.east, more.east);
      sums.north = Math.max(sums.north, more.north);
    },
  });
  points.load([
    ...markers.map((marker) => point(marker, leafOf(marker))),
    ...clusters.map(({ longitude, latitude, count, onlineCount, alarmCount, ...box }) =>
      point({ longitude, latitude }, { count, online: onlineCount, alarms: alarmCount, ...box }),
    ),
  ]);
  return { points, middle };
}

const noOffset: Point = { x: 0, y: 0 };

export type DeviceFeature = Extract<Feature, { kind: 'device' }>;

export function deviceFeature(marker: MapMarker, offset: Point = noOffset): DeviceFeature {
  const { deviceName, latitude, longitude } = marker;
  return { kind: 'device', key: `device ${deviceName}`, place: { latitude, longitude }, marker, offset };
}

/** The marks of a view. */
export function featuresIn({ points, middle }: ClusterIndex, view: Box, zoom: number): Feature[] {
  const [west, east] = view.east - view.west >= 360 ? [-180, 180] : [view.west - middle, view.east - middle];
  return points.getClusters([west, view.south, east, view.north], zoom).map(({ geometry, properties }): Feature => {
    if ('marker' in properties && properties.marker) return deviceFeature(properties.marker);
    const [x = 0, latitude = 0] = geometry.coordinates;
    const longitude = nearestCopy(x + middle, 0);
    const { count, online, alarms, south, north } = properties;
    const box = { west: nearestCopy(properties.west, 0), south, east: nearestCopy(properties.east, 0), north };
    // A cluster of this index is identified by its number, one from the server by its position.
    const name = 'cluster_id' in properties ? properties.cluster_id : `${latitude} ${longitude}`;
    return { kind: 'cluster', key: `cluster ${name}`, place: { latitude, longitude }, count, online, alarms, box };
  });
}

export type Presence = 'online' | 'offline';

/** A cluster without any online device counts as offline. */
export function presenceOf(feature: Feature): Presence {
  const online = feature.kind === 'device' ? feature.marker.onlineState : feature.online;
  return online > 0 ? 'online' : 'offline';
}

/** Whether the device, or one of the cluster's devices, is in alarm. */
export function inAlarm(feature: Feature): boolean {
  return feature.kind === 'device' ? feature.marker.alarmLevel !== undefined : feature.alarms > 0;
}
