import type L from 'leaflet';
import { useTranslation } from 'react-i18next';
import type { MapTiles } from '@/lib/map/baseMap';
import { BaseMap } from '@/ui/map/BaseMap';
import { MapControls } from '@/ui/map/MapControls';
import { ScaleBar } from '@/ui/map/ScaleBar';
import { type FramedContent, useMapContent } from './useMapContent';

export interface DeviceMapProps extends FramedContent {
  tiles: MapTiles | null;
}

/** The map itself; in a chunk of its own, with Leaflet and the coastline. */
export function DeviceMap({ tiles, ...content }: DeviceMapProps) {
  const { t } = useTranslation();
  return (
    <BaseMap tiles={tiles} label={t('home.map.hint')}>
      {(map) => <Drawn map={map} tiles={tiles} {...content} />}
    </BaseMap>
  );
}

function Drawn({ map, tiles, ...content }: DeviceMapProps & { map: L.Map }) {
  const { showAll } = useMapContent(map, tiles, content);
  return (
    <>
      <MapControls map={map} onShowAll={showAll} />
      <ScaleBar map={map} />
    </>
  );
}
