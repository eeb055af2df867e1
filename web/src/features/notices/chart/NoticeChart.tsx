import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Series } from '@/lib/device/types';
import { useNow } from '@/lib/format/clock';
import { errorText } from '@/lib/http/errorText';
import { useLanguage } from '@/lib/i18n/i18n';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { type AlarmDetail, propertiesQuery } from '../queries';
import css from './NoticeChart.module.css';
import { Plots } from './Plots';
import { chartQuery, hasPoints, marginMs, questionOf, spanOf } from './readings';

/** How often the time axis of an open alarm advances. */
const stepMs = 10_000;

/** The readings around the alarm. If they no longer exist, those that were kept with the notice. */
export function NoticeChart({ detail }: { detail: AlarmDetail }) {
  const { t } = useTranslation();
  const now = useNow(stepMs);
  const { deleted } = detail.alarmDeviceInfoRespDTO;
  const offline = detail.alarmRules.triggerType === 1;
  const [fromSince, setFromSince] = useState(false);
  const around = questionOf(detail);
  const { holdsSince } = detail.alarmNotice;
  const since =
    offline || deleted || holdsSince === undefined || holdsSince > around.start - marginMs ? undefined : holdsSince;
  const question = fromSince && since !== undefined ? { ...around, since } : around;
  const language = useLanguage((state) => state.language);
  const properties = useQuery({ ...propertiesQuery(language, question.deviceName), enabled: !deleted });
  const leastSpans = new Map(properties.data?.map(({ identifier, leastSpan = 0 }) => [identifier, leastSpan]));
  const query = useQuery({ ...chartQuery(question), enabled: !deleted });
  const [broken, setBroken] = useState(false);

  const kept = hasPoints(detail.kept) ? detail.kept : undefined;
  const read = hasPoints(query.data) ? query.data : undefined;
  // For a device without any presence change there is nothing to fetch: the notice itself says that
  // it was offline.
  const series = mergeSeries(kept, read) ?? (offline && (deleted || query.data) ? {} : undefined);
  const loading = !series && !deleted && query.isPending;
  const span = spanOf(question, series ?? {}, now);
  const until = Math.min(now, span.to);
  const cut = !offline && (question.end === undefined ? now : question.end + marginMs) > span.to;
  return (
    <div className={css.chart}>
      {broken ? (
        <p className={css.none}>{t('inform.chart.engine')}</p>
      ) : series ? (
        <>
          <Plots
            detail={detail}
            series={series}
            leastSpans={leastSpans}
            main={properties.data?.find(({ identifier }) => identifier === question.signs[0])}
            span={span}
            until={until}
            onFailed={() => setBroken(true)}
          />
          {cut ? <p className={css.note}>{t('inform.chart.part')}</p> : null}
          {since === undefined ? null : (
            <Button
              size="small"
              className={css.fromSince}
              type={fromSince ? 'primary' : 'default'}
              aria-pressed={fromSince}
              onClick={() => setFromSince(!fromSince)}
            >
              {t('inform.chart.fromSince')}
            </Button>
          )}
        </>
      ) : loading ? (
        <Loading>
          <Skeleton height={300} radius={8} />
        </Loading>
      ) : query.isError ? (
        <div className={css.failed}>
          <ErrorNote
            title={t('inform.chart.failed')}
            text={errorText(query.error)}
            onRetry={() => void query.refetch()}
            busy={query.isFetching}
          />
        </div>
      ) : (
        <p className={css.none}>{t('inform.chart.none')}</p>
      )}
    </div>
  );
}

/** The fetched readings and, for attributes without any, the kept ones. */
function mergeSeries(kept: Series | undefined, read: Series | undefined): Series | undefined {
  if (!kept || !read) return read ?? kept;
  const found = Object.entries(read).filter(([, points]) => points.length > 0);
  return { ...kept, ...Object.fromEntries(found) };
}
