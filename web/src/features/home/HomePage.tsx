import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useDeviceLive } from '@/lib/device/live/useDeviceLive';
import { bannerQueryOptions, groupsQuery, mapQuery } from '@/lib/device/queries';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { overviewQuery } from '@/lib/http/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { PageError } from '@/ui/PageError';
import { PageTitle } from '@/ui/PageTitle';
import { Attention } from './attention/Attention';
import { attentionQuery } from './attention/queries';
import { useAttentionLive } from './attention/useAttentionLive';
import { DeviceList } from './devices/DeviceList';
import css from './HomePage.module.css';
import { MapCard } from './map/MapCard';
import { DevicePanel } from './panels/DevicePanel';
import { MissingDevice } from './panels/MissingDevice';
import { ReadingsPanel } from './panels/ReadingsPanel';
import { Statistics } from './Statistics';
import { useSelection } from './useSelection';
import { useSummary } from './useSummary';

/**
 * Four counts, all devices in their groups, the map, and the selected device with its readings; all
 * kept current.
 */
export function HomePage() {
  const { t } = useTranslation();
  useDeviceLive();
  useAttentionLive();
  const language = useLanguage((state) => state.language);
  const overview = useQuery({ ...overviewQuery(), ...bannerQueryOptions });
  const groups = useQuery({ ...groupsQuery(language), placeholderData: keepPreviousData });
  const map = useQuery(mapQuery(null));
  const attention = useQuery({ ...attentionQuery(language), placeholderData: keepPreviousData });
  // Until it is known what is worst, nothing is selected, so that the selection does not jump.
  const urgent = attention.isPending ? undefined : (attention.data?.items ?? []);
  const { name, device, select } = useSelection(groups.data, urgent);
  const summary = useSummary(overview.data);

  const isPhone = useMediaQuery(phoneQuery);
  const panels = useRef<HTMLDivElement>(null);
  const selectFromList = (deviceName: string) => {
    select(deviceName);
    // On a phone the panels stand below the list, so they are scrolled into view.
    if (isPhone) panels.current?.scrollIntoView({ behavior: 'smooth', block: 'start' });
  };

  const nothing = groups.data?.every(({ deviceCount }) => deviceCount === 0) === true;
  return (
    <div className={css.page}>
      <PageTitle title={t('nav.home')} summary={summary} />
      <PageError queries={[overview, groups, map, attention]} />
      <Statistics overview={overview.data} failed={overview.isError} asOf={overview.dataUpdatedAt} />
      <Attention
        attention={attention.data}
        failed={attention.isError}
        asOf={attention.dataUpdatedAt}
        selected={name}
        onSelect={selectFromList}
      />
      <div className={`${css.columns} ${nothing ? css.bare : ''}`}>
        <div className={css.list}>
          <DeviceList
            groups={groups.data}
            failed={groups.isError}
            asOf={groups.dataUpdatedAt}
            selected={name}
            device={device ?? undefined}
            onSelect={selectFromList}
          />
        </div>
        <div className={css.map}>
          <MapCard
            data={map.data}
            groups={groups.data}
            selected={name}
            device={device ?? undefined}
            onSelect={select}
          />
        </div>
        {nothing ? null : (
          <div className={css.panels} ref={panels}>
            {device === null && name !== undefined ? (
              <MissingDevice deviceName={name} />
            ) : (
              <>
                <DevicePanel device={device ?? undefined} asOf={groups.dataUpdatedAt} />
                <ReadingsPanel device={device ?? undefined} asOf={groups.dataUpdatedAt} />
              </>
            )}
          </div>
        )}
      </div>
    </div>
  );
}
