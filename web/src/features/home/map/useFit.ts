import type L from 'leaflet';
import { useCallback, useEffect, useRef } from 'react';
import type { DeviceMap } from '@/lib/device/types';
import { defaultPlace, defaultZoom, type Place } from '@/lib/map/place';
import { boundsOfAll } from './mapView';

/** Pixels that a mark and its spread neighbours may extend above its position. */
const marksAbove = 24;

/**
 * At this zoom, the rows of a field can be told apart; a tenant with a single device needs no
 * closer zoom.
 */
const maxFitZoom = 16;

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
      const bounds = data ? boundsOfAll(data, at) : null;
      ours.current = true;
      map.once('moveend', () => {
        ours.current = false;
        touched.current = false;
      });
      if (!bounds) {
        map.setView([defaultPlace.latitude, defaultPlace.longitude], defaultZoom, { animate });
        return;
      }
      // Leaves room for the legend and for the scenes' outlines and names.
      const top = Math.max(map.getSize().y > 320 ? 100 : 52, covered() + marksAbove);
      map.fitBounds(bounds, { paddingTopLeft: [52, top], paddingBottomRight: [52, 44], maxZoom: maxFitZoom, animate });
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
