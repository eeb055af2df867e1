import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { nameOf } from '@/lib/device/types';
import { formatDateTime } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { errorText } from '@/lib/http/errorText';
import type { Language } from '@/lib/i18n/languages';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { PageTitle } from '@/ui/PageTitle';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './AnalysisPage.module.css';
import { Controls } from './Controls';
import { captionsOf } from './captions';
import type { Span } from './data/line';
import { useAnalysis } from './data/useAnalysis';
import { Result } from './Result';
import { useAnalysisSearch } from './useAnalysisSearch';
import { useEnd } from './useEnd';
import { useNamedAlarm } from './useNamedAlarm';

/** The most values of a line for automatic resolution: about two a pixel. */
const points = { desktop: 2000, phone: 800 };

const rangeText = ({ from, to }: Span, t: TFunction, language: Language) =>
  t('analysis.alarms.until', { from: formatDateTime(from, language), to: formatDateTime(to, language) });

/** Up to six devices and any of their attributes, drawn together over any range. */
export function AnalysisPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useMediaQuery(phoneQuery);
  const { search, change, shows, toggle, query, open } = useAnalysisSearch();
  const named = useNamedAlarm(search, change);
  const { end, renew } = useEnd(search);
  const rain = shows('rain');
  const analysis = useAnalysis(search, { now: end, points: isPhone ? points.phone : points.desktop, rain });
  const { names, sources, drawn, error, missing, signs, attributes, isFetching, plan } = analysis;
  const captions = useMemo(
    () =>
      drawn
        ? captionsOf(
            drawn,
            {
              compared: search.compare !== undefined && plan.span.from > 0,
              plan,
            },
            t,
            format,
          )
        : [],
    [drawn, search.compare, plan, t, format],
  );
  // Without devices or attributes nothing is drawn, over no range; all there is begins nowhere until it has come.
  const some = sources.length > 0 && signs.length > 0 && drawn !== undefined && drawn.span.from > 0;
  const range = some && !drawn.season ? rangeText(drawn.span, t, format.language) : undefined;
  const titles = useMemo(() => new Map(sources.map(({ device }) => [device.deviceName, nameOf(device)])), [sources]);

  return (
    <>
      <PageTitle title={t('analysis.title')} summary={range} />
      <div className={css.page}>
        <Controls
          analysis={analysis}
          search={search}
          change={change}
          shows={shows}
          toggle={toggle}
          titleOf={(name) => titles.get(name) ?? name}
          onRefresh={renew}
          query={query}
          onOpen={open}
        />
        <section className={css.result} aria-busy={isFetching || undefined}>
          {error ? (
            <ErrorNote
              title={t(drawn ? 'analysis.refreshFailed' : 'analysis.failed')}
              text={errorText(error)}
              onRetry={analysis.refetch}
              busy={isFetching}
            />
          ) : null}
          {missing.length > 0 ? (
            <p className={css.missing} role="status">
              {t('analysis.devices.missing', { names: format.list(missing) })}
            </p>
          ) : null}
          {named.opens ? (
            <Waiting />
          ) : named.error ? (
            <ErrorNote
              title={t('analysis.failed')}
              text={errorText(named.error)}
              onRetry={() => void named.refetch()}
            />
          ) : names.length === 0 ? (
            <Empty title={t('analysis.start.title')} text={t('analysis.start.text')} />
          ) : missing.length === names.length ? null : attributes.length > 0 && signs.length === 0 ? (
            <Empty title={t('analysis.noSigns.title')} text={t('analysis.noSigns.text')} />
          ) : sources.length > 0 && attributes.length === 0 ? (
            <Empty title={t('analysis.signs.none')} />
          ) : drawn ? (
            <Result
              analysis={analysis}
              drawn={drawn}
              search={search}
              change={change}
              shows={shows}
              captions={captions}
              alarmRule={named.rule}
              range={range ?? ''}
              now={end}
            />
          ) : error ? null : (
            <Waiting />
          )}
        </section>
      </div>
    </>
  );
}

function Waiting() {
  const { t } = useTranslation();
  return (
    <Loading label={t('history.loading')}>
      <Skeleton height={360} radius={8} />
    </Loading>
  );
}
