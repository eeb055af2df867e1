import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { consoleSettingsQuery } from '@/lib/http/queries';
import type { Place } from '@/lib/map/place';
import { ErrorBoundary } from '@/ui/ErrorBoundary';
import { ErrorNote } from '@/ui/ErrorNote';
import { lazyComponent } from '@/ui/lazyComponent';
import type { PinMapProps } from './PinMap';
import css from './PositionField.module.css';

const PinMap = lazyComponent(() => import('./PinMap'), 'PinMap');

interface PinFrameProps {
  place: Place | undefined;
  /** Increases when the position was not chosen on the map: the map then moves to it. */
  moves: number;
  /** The name of the pin's device. */
  own: string;
  groupId: number;
  onPlace: PinMapProps['onPlace'];
}

/** The frame of the map. Leaflet is loaded later; without it, the two number fields still work. */
export function PinFrame(props: PinFrameProps) {
  const { t } = useTranslation();
  const settings = useQuery(consoleSettingsQuery());
  const [attempt, setAttempt] = useState(1);
  const ready = settings.data !== undefined || settings.isError;
  return (
    <div className={css.map}>
      <ErrorBoundary
        key={attempt}
        fallback={
          <div className={css.broken}>
            <ErrorNote title={t('home.map.failed')} onRetry={() => setAttempt(attempt + 1)} />
          </div>
        }
      >
        {ready ? <PinMap tiles={settings.data?.mapTiles ?? null} {...props} /> : null}
      </ErrorBoundary>
      <span className={css.hint}>{t('device.form.mapHint')}</span>
    </div>
  );
}
