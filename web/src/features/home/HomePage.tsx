import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { memo, useCallback, useDeferredValue, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useDeviceLive } from '@/lib/device/live/useDeviceLive';
import { bannerQueryOptions, groupsQuery, mapQuery } from '@/lib/device/queries';
import type { DeviceMap, Group, Overview } from '@/lib/device/types';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useStages } from '@/lib/hooks/useStages';
import { overviewQuery } from '@/lib/http/queries';
import { useLanguage } from '@/lib/i18n/i18n';
import { PageError } from '@/ui/PageError';
import { PageTitle } from '@/ui/PageTitle';
import { Attention } from './attention/Attention';
import { type Attention as AttentionData, attentionQuery } from './attention/queries';
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

interface Answer<T> {
  /** Undefined until it is fetched. */
  data: T | undefined;
  /** There is no data and no query is running; the page says why. */
  failed: boolean;
  /** When the answer was current, by this machine's clock. */
  asOf: number;
}

/**
 * A query's answer, as the page shows it. The page is drawn anew for it piece by piece, so that a tap
 * or a key never waits until all of it is drawn.
 */
function useAnswer<T>({ data, isError, dataUpdatedAt }: UseQueryResult<T>): Answer<T> {
  const answer = useMemo(() => ({ data, failed: isError, asOf: dataUpdatedAt }), [data, isError, dataUpdatedAt]);
  return useDeferredValue(answer);
}

/** The home page's title and its content; all kept current. */
export function HomePage() {
  const { t } = useTranslation();
  useDeviceLive();
  useAttentionLive();
  const language = useLanguage((state) => state.language);
  const overview = useQuery({ ...bannerQueryOptions, ...overviewQuery() });
  const groups = useQuery({ ...groupsQuery(language), placeholderData: keepPreviousData });
  const map = useQuery(mapQuery(null));
  const attention = useQuery({ ...attentionQuery(language), placeholderData: keepPreviousData });
  const summary = useSummary(overview.data);
  return (
    <div className={css.page}>
      <PageTitle title={t('nav.home')} summary={summary} />
      <PageError queries={[overview, groups, map, attention]} />
      <Content
        overview={useAnswer(overview)}
        groups={useAnswer(groups)}
        map={useAnswer(map)}
        attention={useAnswer(attention)}
      />
    </div>
  );
}

interface ContentProps {
  overview: Answer<Overview>;
  groups: Answer<Group[]>;
  map: Answer<DeviceMap>;
  attention: Answer<AttentionData>;
}

/** Four counts, what needs a person, all devices in their groups, the map, and the selected device with its readings. */
const Content = memo(function Content({ overview, groups, map, attention }: ContentProps) {
  // Until it is known what is worst, nothing is selected, so that the selection does not jump.
  const urgent = attention.data || attention.failed ? (attention.data?.items ?? []) : undefined;
  const { name, device, select } = useSelection(groups.data, urgent);

  const isPhone = useMediaQuery(phoneQuery);
  const panels = useRef<HTMLDivElement>(null);
  const selectFromList = useCallback(
    (deviceName: string) => {
      select(deviceName);
      // On a phone the panels stand below the list, so they are scrolled into view.
      if (isPhone) panels.current?.scrollIntoView({ behavior: 'smooth', block: 'start' });
    },
    [select, isPhone],
  );

  const stage = useStages(3);
  const nothing = groups.data?.every(({ deviceCount }) => deviceCount === 0) === true;
  return (
    <>
      <Statistics overview={overview.data} failed={overview.failed} asOf={overview.asOf} />
      <Attention
        attention={attention.data}
        failed={attention.failed}
        asOf={attention.asOf}
        selected={name}
        onSelect={selectFromList}
      />
      <div className={`${css.columns} ${nothing ? css.bare : ''}`}>
        <div className={css.list}>
          {stage < 2 ? null : (
            <DeviceList
              groups={groups.data}
              failed={groups.failed}
              asOf={groups.asOf}
              selected={name}
              device={device ?? undefined}
              onSelect={selectFromList}
            />
          )}
        </div>
        <div className={css.map}>
          {stage < 1 ? null : (
            <MapCard
              data={map.data}
              groups={groups.data}
              selected={name}
              device={device ?? undefined}
              onSelect={select}
            />
          )}
        </div>
        {nothing || stage < 3 ? null : (
          <div className={css.panels} ref={panels}>
            {device === null && name !== undefined ? (
              <MissingDevice deviceName={name} />
            ) : (
              <>
                <DevicePanel device={device ?? undefined} asOf={groups.asOf} />
                <ReadingsPanel device={device ?? undefined} asOf={groups.asOf} />
              </>
            )}
          </div>
        )}
      </div>
    </>
  );
});
