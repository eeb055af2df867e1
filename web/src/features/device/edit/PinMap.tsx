import { useQuery } from '@tanstack/react-query';
import L from 'leaflet';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { mapQuery } from '@/lib/device/queries';
import { allScenesQuery } from '@/lib/device/scenes';
import { useFormat } from '@/lib/format/format';
import { type MapTiles, toLatLng, toPlace } from '@/lib/map/baseMap';
import { boundsOfAll } from '@/lib/map/bounds';
import { defaultPlace, defaultZoom, type Place } from '@/lib/map/place';
import { SceneLayer } from '@/lib/map/sceneLayer';
import { BaseMap } from '@/ui/map/BaseMap';
import { MapControls } from '@/ui/map/MapControls';
import { ScaleBar } from '@/ui/map/ScaleBar';
import { neighbours } from './neighbours';
import { PinLayer } from './pinLayer';

export interface PinMapProps {
  tiles: MapTiles | null;
  place: Place | undefined;
  moves: number;
  own: string;
  /** The chosen scene; the map shows another one once it is chosen. */
  groupId: number;
  onPlace: (place: Place) => void;
}

/**
 * A map to place a pin on, with the scenes around it. It is in a chunk of its own, with Leaflet.
 */
export function PinMap(props: PinMapProps) {
  const { t } = useTranslation();
  return (
    <BaseMap tiles={props.tiles} label={t('device.form.map')}>
      {(map) => <Drawn map={map} {...props} />}
    </BaseMap>
  );
}

/** At this zoom, the rows of a field can be told apart. */
const nearZoom = 16;

function Drawn({ map, tiles, place, moves, own, groupId, onPlace }: PinMapProps & { map: L.Map }) {
  const { t } = useTranslation();
  const format = useFormat();
  const at = useCallback((where: Place) => toLatLng(where, tiles, map.getCenter().lng), [map, tiles]);
  const others = useQuery(mapQuery(null)).data;
  const names = useQuery(allScenesQuery()).data;
  const scenes = useMemo(() => neighbours(others, names ?? [], own), [others, names, own]);

  const pin = useRef<PinLayer>(null);
  const choose = useRef(onPlace);
  useEffect(() => {
    choose.current = onPlace;
  });
  useEffect(() => {
    const layer = new PinLayer(map, (point) => choose.current(toPlace(point, tiles)));
    pin.current = layer;
    return () => {
      pin.current = null;
      layer.remove();
    };
  }, [map, tiles]);

  useEffect(() => {
    const words = place && t('device.form.pin', { place: format.position(place.latitude, place.longitude) });
    pin.current?.draw(place && L.latLng(at(place)), words ?? '');
  }, [place, at, t, format]);

  useEffect(() => {
    const layer = new SceneLayer(map);
    const draw = () => layer.draw(scenes, [], at);
    draw();
    map.on('moveend resize', draw);
    return () => {
      map.off('moveend resize', draw);
      layer.clear();
    };
  }, [map, scenes, at]);

  const showAll = useCallback(
    (animate = true) => {
      const places: Place[] = [...(others?.markers ?? []), ...(place ? [place] : [])];
      const bounds = boundsOfAll(places, others?.clusters ?? [], at, map.getCenter().lng);
      if (bounds) map.fitBounds(bounds, { padding: [32, 32], maxZoom: nearZoom, animate });
      else map.setView([defaultPlace.latitude, defaultPlace.longitude], defaultZoom, { animate });
    },
    [map, others, place, at],
  );

  // At first the map shows the device's own position; without one, the other devices once their
  // positions are known.
  const shown = useRef<'nothing' | 'somewhere'>('nothing');
  useEffect(() => {
    if (shown.current === 'somewhere') return;
    if (place) map.setView(at(place), nearZoom, { animate: false });
    else if (others) showAll(false);
    else return;
    shown.current = 'somewhere';
  }, [map, place, others, at, showAll]);

  // A position that was typed or found by the browser comes into view; the map does not move if it
  // already shows it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it was not chosen on the map
  useEffect(() => {
    if (moves === 0 || !place) return;
    const point = L.latLng(at(place));
    if (!map.getBounds().pad(-0.1).contains(point)) map.setView(point, Math.max(map.getZoom(), nearZoom));
  }, [moves]);

  // The place of the device is then one click away, beside its new neighbours.
  const shownGroup = useRef(groupId);
  useEffect(() => {
    if (shownGroup.current === groupId || !others) return;
    shownGroup.current = groupId;
    if (groupId === 0) return;
    const ofScene = others.markers.filter((marker) => marker.groupId === groupId && marker.deviceName !== own);
    const bounds = boundsOfAll(ofScene, [], at, map.getCenter().lng);
    if (!bounds || map.getBounds().contains(bounds)) return;
    map.fitBounds(bounds, { padding: [32, 32], maxZoom: nearZoom });
  }, [map, groupId, others, own, at]);

  return (
    <>
      <MapControls map={map} onShowAll={showAll} always />
      <ScaleBar map={map} />
    </>
  );
}
