import type L from 'leaflet';
import { useCallback, useEffect, useRef } from 'react';
import type { DeviceMap } from '@/lib/device/types';
import { closestZoom } from '@/lib/map/baseMap';
import { boundsOfAll } from '@/lib/map/bounds';
import { defaultPlace, defaultZoom, type Place } from '@/lib/map/place';

/** The devices fill the frame but for this part of it on each side. */
const margin = 0.075;
/** Pixels that a mark extends above its position, and that its value may extend below and beside it. */
const marksAbove = 24;
const valueBelow = 34;
const valueBeside = 48;
const fitSnap = 0.05;
/** Of a single device: at this zoom, the rows of a field can be told apart. */
const singleZoom = 16;

/**
 * Shows everything that has a position: once the data is known, on request, and again when the
 * frame is resized, unless the user has moved the map since. `fitted` tells whether the first of
 * these has happened. `covered` returns how many pixels at the map's top are covered.
 */
export function useFit(
  map: L.Map,
  data: DeviceMap | undefined,
  at: (place: Place) => L.LatLngTuple,
  covered: () => number,
) {
  const fitted = useRef(false);
  const touched = useRef(false);
  const ours = useRef(false);

  const showAll = useCallback(
    (animate: boolean) => {
      const bounds = data ? boundsOfAll(data.markers, data.clusters, at, map.getCenter().lng) : null;
      ours.current = true;
      map.once('moveend', () => {
        ours.current = false;
        touched.current = false;
      });
      if (!bounds) {
        map.setView([defaultPlace.latitude, defaultPlace.longitude], defaultZoom, { animate });
        return;
      }
      const { x, y } = map.getSize();
      const [beside, above] = [Math.max(valueBeside, x * margin), Math.max(marksAbove, y * margin)];
      // Between two steps of the zoom, devices could fill little more than half of the frame.
      const { zoomSnap } = map.options;
      map.options.zoomSnap = fitSnap;
      map.fitBounds(bounds, {
        paddingTopLeft: [beside, Math.max(covered() + marksAbove, above)],
        paddingBottomRight: [beside, Math.max(valueBelow, y * margin)],
        maxZoom: bounds.getNorthEast().equals(bounds.getSouthWest()) ? singleZoom : closestZoom,
        animate,
      });
      map.options.zoomSnap = zoomSnap;
    },
    [map, data, at, covered],
  );

  useEffect(() => {
    if (fitted.current || data === undefined) return;
    fitted.current = true;
    showAll(false);
  }, [data, showAll]);

  useEffect(() => {
    const started = () => {
      if (!ours.current) touched.current = true;
    };
    const resized = () => {
      if (fitted.current && !touched.current) showAll(false);
    };
    map.on('movestart', started);
    map.on('resize', resized);
    return () => {
      map.off('movestart', started);
      map.off('resize', resized);
    };
  }, [map, showAll]);

  return { showAll, fitted };
}
