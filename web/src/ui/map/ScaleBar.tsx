import type L from 'leaflet';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { metresPerPixel, scaleBar } from '@/lib/map/graticule';
import css from './ScaleBar.module.css';

const maxPixels = 110;

function measure(map: L.Map) {
  return scaleBar(metresPerPixel(map.getCenter().lat, map.getZoom()), maxPixels);
}

/** A scale bar for the middle of the view. */
export function ScaleBar({ map }: { map: L.Map }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [{ metres, pixels }, setBar] = useState(() => measure(map));
  useEffect(() => {
    const moved = () => setBar(measure(map));
    moved();
    map.on('moveend zoomend', moved);
    return () => {
      map.off('moveend zoomend', moved);
    };
  }, [map]);
  const length = format.distance(metres);
  return (
    <div className={css.scale} role="img" aria-label={t('home.map.scale', { length })}>
      <span className={css.length}>{length}</span>
      <span className={css.bar} style={{ width: pixels }} />
    </div>
  );
}
