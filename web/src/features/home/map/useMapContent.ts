import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type L from 'leaflet';
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type MapView, mapQuery } from '@/lib/device/queries';
import type { Device, DeviceMap, Group } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { useUnchanged } from '@/lib/hooks/useUnchanged';
import { closestZoom, type MapTiles, toLatLng } from '@/lib/map/baseMap';
import { boundsOfAll } from '@/lib/map/bounds';
import { middleOf } from '@/lib/map/copies';
import type { Place } from '@/lib/map/place';
import { type DrawnMark, SceneLayer } from '@/lib/map/sceneLayer';
import { clusterIndex, type Feature } from './clusters';
import { describer } from './describe';
import { devicesIn, devicesOf, marksOf, offsetsOf, placesOf, sceneList, viewOf } from './mapView';
import { MarkLayer } from './markLayer';
import { namePoints, withRoom } from './room';
import { UnplacedMark } from './unplaced';
import { useFit } from './useFit';
import type { ShownQuantity } from './useQuantity';
import { valueLook } from './valueLook';

export interface MapContent {
  /** The answer to the query without a box; undefined until it is fetched. */
  data: DeviceMap | undefined;
  groups: Group[] | undefined;
  selected: string | undefined;
  device: Device | undefined;
  onSelect: (deviceName: string) => void;
}

/** The same with the quantity that is shown, if one is, and with `covered`, which returns the height in pixels that is covered at the map's top. */
export interface FramedContent extends MapContent {
  covered: () => number;
  shown: ShownQuantity | undefined;
}

/** From this zoom on, marks have their names. */
const namesZoom = 16;

/** Whether a mark there can be seen: the map does not move then. */
function isInView(map: L.Map, place: L.LatLngTuple, covered: number): boolean {
  const { x, y } = map.latLngToContainerPoint(place);
  const size = map.getSize();
  return x >= 0 && x <= size.x && y >= covered && y <= size.y;
}

/** What a scene's name must not cover. */
const spotOf = (mark: Feature): DrawnMark => ({
  place: { latitude: mark.place.latitude, longitude: mark.place.longitude },
  offset: mark.kind === 'device' ? mark.offset : undefined,
});

const noMap: DeviceMap = { markers: [], clusters: [], total: 0, unplaced: 0 };

/**
 * Draws devices, clusters and scenes, and updates them with the data, the view and the selection.
 */
export function useMapContent(map: L.Map, tiles: MapTiles | null, content: FramedContent) {
  const { data = noMap, groups, selected, device, onSelect, covered, shown: quantity } = content;
  const { t } = useTranslation();
  const format = useFormat();
  const [view, setView] = useState<MapView>(() => viewOf(map));
  const [zoom, setZoom] = useState(() => map.getZoom());
  const at = useCallback((place: Place) => toLatLng(place, tiles, map.getCenter().lng), [map, tiles]);

  // If there are more devices than the server sends as single markers, it clusters them for each
  // view and is queried again when the view changes.
  const isClustered = data.clusters.length > 0;
  const clusteredQuery = useQuery({
    ...mapQuery(view, quantity?.quantity.identifier),
    enabled: isClustered,
    placeholderData: keepPreviousData,
  });
  const shown = isClustered ? (clusteredQuery.data ?? data) : data;

  const place = device?.latitude !== undefined && device.longitude !== undefined;
  const chosen = place && device?.deviceName === selected ? device : undefined;
  const middle = useMemo(() => middleOf(shown.markers.map(({ longitude }) => longitude)), [shown.markers]);
  // Near the devices' middle, not the map's: neighbours stay neighbours wherever the map is.
  const project = useCallback(
    (spot: Place) => map.project(toLatLng(spot, tiles, middle), zoom),
    [map, tiles, middle, zoom],
  );
  // Clusters exist only if the server clusters; otherwise every device is a mark of its own.
  const hasClusters = shown.clusters.length > 0;
  const positions = useMemo(() => placesOf(shown.markers), [shown.markers]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the markers only their places count, which seldom change
  const offsets = useMemo(
    () => (hasClusters ? undefined : offsetsOf(shown.markers, project)),
    [hasClusters, positions, project],
  );
  const devices = useMemo(
    () => (offsets ? devicesOf(shown.markers, project, offsets) : []),
    [offsets, shown.markers, project],
  );
  const index = useMemo(
    () =>
      hasClusters
        ? clusterIndex(
            shown.markers.filter(({ deviceName }) => deviceName !== selected),
            shown.clusters,
          )
        : null,
    [hasClusters, shown, selected],
  );
  const scenes = useUnchanged(
    useMemo(
      () =>
        // The layer adds the name itself, since it may have to cut it.
        sceneList(groups ?? [], shown.markers, isClustered, (count) =>
          t('home.map.scene', { name: '', n: format.number(count) }),
        ),
      [groups, shown.markers, isClustered, t, format],
    ),
  );

  const zoomTo = useCallback(
    (feature: Extract<Feature, { kind: 'cluster' }>) => {
      const bounds = boundsOfAll([], [feature.box], at, map.getCenter().lng);
      const nearer = Math.min(closestZoom, map.getZoom() + 2);
      const margin = map.getSize().multiplyBy(0.25);
      const wanted = Math.max(bounds ? map.getBoundsZoom(bounds, false, margin) : nearer, nearer);
      map.setView(at(feature.place), Math.min(closestZoom, wanted));
    },
    [map, at],
  );

  const layers = useRef<{ marks: MarkLayer; scenes: SceneLayer; unplaced: UnplacedMark }>(null);
  const context = useMemo(
    () => ({
      describe: describer(t, format, quantity?.quantity),
      value: quantity?.scale ? valueLook(quantity.quantity, quantity.scale, format) : undefined,
      count: (count: number) => format.number(count),
      at,
      onDevice: onSelect,
      onCluster: zoomTo,
    }),
    [t, format, at, onSelect, zoomTo, quantity],
  );

  useEffect(() => {
    const made = { marks: new MarkLayer(map), scenes: new SceneLayer(map), unplaced: new UnplacedMark(map) };
    layers.current = made;
    const moved = () =>
      startTransition(() => {
        setView(viewOf(map));
        setZoom(map.getZoom());
      });
    map.on('moveend zoomend resize', moved);
    return () => {
      map.off('moveend zoomend resize', moved);
      layers.current = null;
      for (const layer of Object.values(made)) layer.clear();
    };
  }, [map]);

  const { showAll, fitted } = useFit(map, content.data, at, covered);

  const marks = useMemo(
    () => (index ? marksOf(shown, index, view, selected, chosen, project) : devicesIn(devices, view, chosen)),
    [shown, index, devices, view, selected, chosen, project],
  );
  const roomy = useMemo(() => {
    const pointOf = (mark: Feature) => {
      const { x, y } = project(mark.place);
      return mark.kind === 'device' ? { x: x + mark.offset.x, y: y + mark.offset.y } : { x, y };
    };
    return withRoom(marks, pointOf, selected, zoom >= namesZoom);
  }, [marks, project, selected, zoom]);
  useEffect(() => {
    layers.current?.marks.draw(roomy, selected, context);
  }, [roomy, selected, context]);

  // Their names avoid the marks.
  const places = useUnchanged(useMemo(() => [...roomy.map(spotOf), ...namePoints(roomy)], [roomy]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: their distance is in pixels, and names need room
  useEffect(() => {
    layers.current?.scenes.draw(scenes, places, at);
  }, [scenes, places, at, view]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the view determines which copy of its place is shown
  useEffect(() => {
    const words = t('home.map.unplaced', { count: data.unplaced, n: format.number(data.unplaced) });
    layers.current?.unplaced.draw(data.unplaced, format.number(data.unplaced), words, t('home.device.noPosition'), at);
  }, [data.unplaced, t, format, at, view]);

  // A device that was selected elsewhere comes into view; the map does not move if it already shows
  // it.
  const [latitude, longitude] = [chosen?.latitude, chosen?.longitude];
  useEffect(() => {
    if (!fitted.current || latitude === undefined || longitude === undefined) return;
    const point = at({ latitude, longitude });
    if (isInView(map, point, covered())) return;
    map.panInside(point, { paddingTopLeft: [48, covered() + 48], paddingBottomRight: [48, 56] });
  }, [map, at, latitude, longitude, fitted, covered]);

  return { showAll: useCallback(() => showAll(true), [showAll]) };
}
