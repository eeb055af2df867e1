import PictureOutlined from '@ant-design/icons/PictureOutlined';
import { useQuery } from '@tanstack/react-query';
import { memo, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { consoleSettingsQuery } from '@/lib/http/queries';
import { ErrorBoundary } from '@/ui/ErrorBoundary';
import { ErrorNote } from '@/ui/ErrorNote';
import { LoadOnDemand, useLoadOnDemand } from '@/ui/LoadOnDemand';
import { lazyComponent } from '@/ui/lazyComponent';
import { Legend } from './Legend';
import css from './MapCard.module.css';
import type { MapContent } from './useMapContent';
import { useQuantity } from './useQuantity';

const DeviceMap = memo(lazyComponent(() => import('./DeviceMap'), 'DeviceMap'));

/** The frame of the map. It and its legend are shown at once; Leaflet is loaded later. */
export const MapCard = memo(function MapCard(content: MapContent) {
  const { t } = useTranslation();
  const { data, shown, ...choice } = useQuantity(content.data);
  // Drawn piece by piece, as the whole page is.
  const drawn = useDeferredValue(useMemo(() => ({ ...content, data, shown }), [content, data, shown]));
  const settings = useQuery(consoleSettingsQuery());
  const [attempt, setAttempt] = useState(1);
  // If the settings cannot be fetched, the map is shown without tiles.
  const ready = settings.data !== undefined || settings.isError;
  const [showsTiles, showTiles] = useLoadOnDemand();
  const legend = useRef<HTMLDivElement>(null);
  // In some languages the legend has two lines on a phone, and it must not cover the uppermost
  // devices.
  const covered = useCallback(() => {
    const { offsetTop = 0, offsetHeight = 0 } = legend.current ?? {};
    return offsetTop + offsetHeight;
  }, []);
  const tiles = settings.data?.mapTiles ?? null;
  return (
    <section className={css.card} aria-label={t('home.map.title')}>
      <ErrorBoundary
        key={attempt}
        fallback={
          <div className={css.note}>
            <ErrorNote title={t('home.map.failed')} onRetry={() => setAttempt(attempt + 1)} />
          </div>
        }
      >
        {ready ? <DeviceMap tiles={showsTiles ? tiles : null} covered={covered} {...drawn} /> : null}
      </ErrorBoundary>
      {tiles && !showsTiles ? (
        <div className={css.ask}>
          <LoadOnDemand icon={<PictureOutlined />} words={t('saver.tiles')} onTap={showTiles} />
        </div>
      ) : null}
      <Legend ref={legend} shown={shown} {...choice} />
    </section>
  );
});
