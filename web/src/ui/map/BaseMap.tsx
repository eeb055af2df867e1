import { useQuery } from '@tanstack/react-query';
import type L from 'leaflet';
import { type ReactNode, startTransition, useEffect, useRef, useState } from 'react';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { addTiles, createBaseMap, type MapTiles, setDragging } from '@/lib/map/baseMap';
import { GraticuleLayer } from '@/lib/map/graticuleLayer';
import { LandLayer, loadLand, showsSea } from '@/lib/map/land';
import { useDataSaver } from '@/lib/storage/dataSaver';
import css from './BaseMap.module.css';

interface BaseMapProps {
  tiles: MapTiles | null;
  /** The map's name and its keys, for screen readers. */
  label: string;
  /** The screen's own layers, rendered once the map exists. */
  children: (map: L.Map) => ReactNode;
}

/**
 * Land or tiles, the graticule, and a screen's own layers. Import it lazily: it includes Leaflet
 * and the coastline.
 */
export function BaseMap({ tiles, label, children }: BaseMapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery(phoneQuery);
  const [map, setMap] = useState<L.Map | null>(null);

  useEffect(() => {
    if (!frame.current) return;
    const made = createBaseMap(frame.current);
    const observer = new ResizeObserver(() => made.invalidateSize({ pan: false }));
    observer.observe(frame.current);
    // What the map shows is drawn piece by piece.
    startTransition(() => setMap(made));
    return () => {
      setMap(null);
      observer.disconnect();
      made.remove();
    };
  }, []);

  useEffect(() => {
    if (map) setDragging(map, isPhone);
  }, [map, isPhone]);

  useEffect(() => {
    map?.getContainer().setAttribute('role', 'group');
    map?.getContainer().setAttribute('aria-label', label);
  }, [map, label]);

  return (
    <>
      <div ref={frame} className={css.frame} />
      {map ? (
        <>
          {children(map)}
          {/* After the content, which may move the map to where no sea is shown. */}
          <LandLayers map={map} tiles={tiles} />
        </>
      ) : null}
    </>
  );
}

/**
 * The layers below the devices: tiles if the installation has some, else the bundled coastline,
 * which also fills the gaps of a tile server that refuses or fails; and the graticule.
 */
function LandLayers({ map, tiles }: { map: L.Map; tiles: MapTiles | null }) {
  const format = useFormat();
  const [graticule] = useState(() => new GraticuleLayer(format));
  const coarse = useDataSaver();
  const [sea, setSea] = useState(false);
  useEffect(() => {
    const look = () => setSea(showsSea(map.getZoom(), coarse));
    look();
    map.on('zoomend', look);
    return () => {
      map.off('zoomend', look);
    };
  }, [map, coarse]);
  const [missesTiles, setMissesTiles] = useState(false);
  const showsLand = tiles === null || missesTiles;
  const land = useQuery({
    queryKey: ['map', 'land', coarse],
    queryFn: ({ signal }) => loadLand(signal, coarse),
    enabled: showsLand && sea,
    staleTime: Number.POSITIVE_INFINITY,
  });

  useEffect(() => (tiles ? addTiles(map, tiles, () => setMissesTiles(true)) : undefined), [map, tiles]);

  useEffect(() => {
    if (!showsLand || !land.data) return;
    const layer = new LandLayer(land.data, coarse).addTo(map);
    return () => {
      layer.remove();
    };
  }, [map, showsLand, land.data, coarse]);

  useEffect(() => {
    // Over GCJ-02 tiles the lines would be up to 700 m off the coordinates that they name.
    if (tiles?.datum === 'GCJ-02') return;
    graticule.addTo(map);
    return () => {
      graticule.remove();
    };
  }, [map, tiles, graticule]);

  useEffect(() => graticule.setFormat(format), [graticule, format]);
  return null;
}
