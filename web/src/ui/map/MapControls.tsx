import FullscreenOutlined from '@ant-design/icons/FullscreenOutlined';
import MinusOutlined from '@ant-design/icons/MinusOutlined';
import PlusOutlined from '@ant-design/icons/PlusOutlined';
import type L from 'leaflet';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { IconButton } from '@/ui/IconButton';
import css from './MapControls.module.css';

interface MapControlsProps {
  map: L.Map;
  onShowAll: () => void;
  /** Shows the zoom buttons on a phone too: for maps where fingers have another function. */
  always?: boolean;
}

/** Zoom in, zoom out, show everything. On a phone two fingers replace the first two. */
export function MapControls({ map, onShowAll, always = false }: MapControlsProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const [zoom, setZoom] = useState(() => map.getZoom());
  useEffect(() => {
    const zoomed = () => setZoom(map.getZoom());
    map.on('zoomend', zoomed);
    return () => {
      map.off('zoomend', zoomed);
    };
  }, [map]);
  return (
    <div className={css.controls}>
      {isPhone && !always ? null : (
        <>
          <IconButton
            className={css.button}
            label={t('home.map.zoomIn')}
            icon={<PlusOutlined />}
            // Not the disabled attribute: the user who just reached the limit would lose the focus;
            // the map does not zoom beyond it.
            aria-disabled={zoom >= map.getMaxZoom()}
            onClick={() => map.zoomIn(1)}
          />
          <IconButton
            className={css.button}
            label={t('home.map.zoomOut')}
            icon={<MinusOutlined />}
            aria-disabled={zoom <= map.getMinZoom()}
            onClick={() => map.zoomOut(1)}
          />
        </>
      )}
      <IconButton
        className={css.button}
        label={t('home.map.showAll')}
        icon={<FullscreenOutlined />}
        onClick={onShowAll}
      />
    </div>
  );
}
