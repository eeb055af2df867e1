import { useQuery } from '@tanstack/react-query';
import type L from 'leaflet';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { addTiles, createBaseMap, type MapTiles, setDragging } from '@/lib/map/baseMap';
import { GraticuleLayer } from '@/lib/map/graticuleLayer';
import { LandLayer, loadLand } from '@/lib/map/land';
import { phone, useMedia } from '@/lib/media';
import css from './DeviceMap.module.css';
import { MapControls } from './MapControls';
import { ScaleBar } from './ScaleBar';
import { type MapContent, useMapContent } from './useMapContent';

export interface DeviceMapProps extends MapContent {
  tiles: MapTiles | null;
}

/** The map itself; in a chunk of its own, with Leaflet and the coastline. */
export function DeviceMap({ tiles, ...content }: DeviceMapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isPhone = useMedia(phone);
  const [map, setMap] = useState<L.Map | null>(null);

  useEffect(() => {
    if (!frame.current) return;
    const made = createBaseMap(frame.current);
    const observer = new ResizeObserver(() => made.invalidateSize({ pan: false }));
    observer.observe(frame.current);
    setMap(made);
    return () => {
      setMap(null);
      observer.disconnect();
      made.remove();
    };
  }, []);

  useEffect(() => {
    if (map) setDragging(map, isPhone);
  }, [map, isPhone]);

  return (
    <>
      <div ref={frame} className={css.frame} />
      {map ? <Drawn map={map} tiles={tiles} {...content} /> : null}
    </>
  );
}

function Drawn({ map, tiles, ...content }: DeviceMapProps & { map: L.Map }) {
  const { t } = useTranslation();
  useEffect(() => {
    map.getContainer().setAttribute('role', 'group');
    map.getContainer().setAttribute('aria-label', t('home.map.hint'));
  }, [map, t]);
  useGround(map, tiles);
  const { showAll } = useMapContent(map, tiles, content);
  return (
    <>
      <MapControls map={map} onShowAll={showAll} />
      <ScaleBar map={map} />
    </>
  );
}

/** What the devices stand on: tiles where the installation has some, else the coastline that comes along, and the graticule. */
function useGround(map: L.Map, tiles: MapTiles | null): void {
  const format = useFormat();
  const [graticule] = useState(() => new GraticuleLayer(format));
  const land = useQuery({
    queryKey: ['map', 'land'],
    queryFn: ({ signal }) => loadLand(signal),
    enabled: tiles === null,
    staleTime: Number.POSITIVE_INFINITY,
  });

  useEffect(() => {
    if (tiles) return addTiles(map, tiles);
    if (!land.data) return;
    const layer = new LandLayer(land.data).addTo(map);
    return () => {
      layer.remove();
    };
  }, [map, tiles, land.data]);

  useEffect(() => {
    // Over tiles in GCJ-02 the lines would stand up to 700 m beside the coordinates that they name.
    if (tiles?.datum === 'GCJ-02') return;
    graticule.addTo(map);
    return () => {
      graticule.remove();
    };
  }, [map, tiles, graticule]);

  useEffect(() => graticule.setWords(format), [graticule, format]);
}
