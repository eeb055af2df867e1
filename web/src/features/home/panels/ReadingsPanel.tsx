import LineChartOutlined from '@ant-design/icons/LineChartOutlined';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { analysisAddress } from '@/lib/analysis/address';
import { latestQuery, tslQuery } from '@/lib/device/queries';
import { readingList } from '@/lib/device/readingList';
import { addObservedTimes, noObservedTimes, usualInterval } from '@/lib/device/staleness';
import { type Device, type Latest, nameOf, type Reading } from '@/lib/device/types';
import { errorText } from '@/lib/http/errorText';
import { isNoAnswer } from '@/lib/http/http';
import { useLanguage } from '@/lib/i18n/i18n';
import { useAsOf } from '@/lib/offline/reachability';
import { Age } from '@/ui/Age';
import { AsOfTime } from '@/ui/AsOfTime';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { MainReading } from './MainReading';
import { Panel } from './Panel';
import { ReadingRow } from './ReadingRow';
import css from './ReadingsPanel.module.css';

interface PanelProps {
  device: Device | undefined;
  /** When the list that contains the device was current, by this machine's clock. */
  asOf?: number;
}

/** The latest reading of each property: the main one large with its day, the others in rows. */
export const ReadingsPanel = memo(function ReadingsPanel({ device, asOf }: PanelProps) {
  const { t } = useTranslation();
  if (!device) {
    return (
      <Panel title={t('home.readings.title')} grow>
        <ReadingsSkeleton />
      </Panel>
    );
  }
  // A new panel for each device, since the observed intervals are a device's own.
  return <Readings key={device.deviceName} device={device} asOf={asOf} />;
});

function Readings({ device, asOf }: { device: Device; asOf: number | undefined }) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const latest = useQuery({
    ...latestQuery(language, device.deviceName),
    // The list already has most readings. If it has none, the device may only have no readings yet.
    placeholderData: (before: Latest | undefined) => before ?? device.lastData[0],
  });
  const tsl = useQuery(tslQuery(language, device.deviceName));
  const usual = useUsualIntervals(latest.data);
  const old = useAsOf(asOf) !== undefined;

  const online = device.onlineState === 1;
  const { main, others } = useMemo(
    () => readingList(latest.data ?? {}, tsl.data?.propertie, device.mainSign),
    [latest.data, tsl.data, device.mainSign],
  );
  const newest = Math.max(...Object.values(latest.data ?? {}).map(({ time }) => time));
  const some = Number.isFinite(newest);
  // The list's data about the device is used until the panel's own query has been answered.
  const aside = old ? (
    <AsOfTime time={latest.isPlaceholderData ? asOf : latest.dataUpdatedAt} />
  ) : (
    <Age time={newest} form="within" />
  );

  return (
    <Panel title={t('home.readings.title')} aside={some ? aside : null} grow>
      {latest.isError && !(old && isNoAnswer(latest.error)) ? (
        <div className={css.note}>
          <ErrorNote
            title={errorText(latest.error)}
            text={some ? t('home.readings.lastKnown') : undefined}
            onRetry={() => void latest.refetch()}
            busy={latest.isFetching}
          />
        </div>
      ) : null}
      {some ? (
        <div className={css.body}>
          {main ? <MainReading device={device} entry={main} usual={usual(main.sign)} /> : null}
          {others.length > 0 ? (
            <ul className={css.rows} aria-label={t('home.readings.others')}>
              {others.map((entry) => (
                <ReadingRow key={entry.sign} entry={entry} device={device} online={online} usual={usual(entry.sign)} />
              ))}
            </ul>
          ) : null}
          <Link
            to="/analysis"
            search={analysisAddress({ devices: [device.deviceName] })}
            className={css.history}
            aria-label={t('data.card.historyOf', { name: nameOf(device) })}
          >
            <LineChartOutlined aria-hidden="true" />
            {t('data.card.history')}
          </Link>
        </div>
      ) : latest.isPending ? (
        <ReadingsSkeleton />
      ) : latest.isError ? null : (
        <Empty title={t('home.readings.noneTitle')} text={t('home.readings.noneText')} />
      )}
    </Panel>
  );
}

/** The usual interval of each property, from the times observed since the device was selected. */
function useUsualIntervals(latest: Record<string, Reading> | undefined): (sign: string) => number | undefined {
  const [observed, setObserved] = useState(noObservedTimes);
  const times = Object.fromEntries(Object.entries(latest ?? {}).map(([sign, { time }]) => [sign, time]));
  const next = addObservedTimes(observed, times);
  if (next !== observed) setObserved(next);
  return (sign) => usualInterval(next, sign);
}

function ReadingsSkeleton() {
  return (
    <Loading>
      <div className={css.skeleton}>
        <Skeleton height={20} width="46%" />
        <Skeleton height={38} width="58%" />
        <Skeleton height={16} />
        {['90%', '84%', '94%', '80%', '88%'].map((width) => (
          <Skeleton key={width} height={16} width={width} />
        ))}
      </div>
    </Loading>
  );
}
