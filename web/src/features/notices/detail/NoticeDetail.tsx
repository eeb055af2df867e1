import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { noticeQuery } from '@/lib/alarm/notice';
import { useLanguage } from '@/lib/i18n/i18n';
import { Empty } from '@/ui/Empty';
import { PageError } from '@/ui/PageError';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { NoticeChart } from '../chart/NoticeChart';
import { AnalysisOfNotice } from './AnalysisOfNotice';
import { Conditions } from './Conditions';
import { DeviceBlock } from './DeviceBlock';
import { Ending } from './Ending';
import { Head } from './Head';
import css from './NoticeDetail.module.css';
import { NotifiedRecipients } from './NotifiedRecipients';
import { Unsteady } from './Unsteady';
import { useDeliveriesLive } from './useDeliveriesLive';
import { useNoticeLive } from './useNoticeLive';
import { WhySilent } from './WhySilent';

interface NoticeDetailProps {
  /** Undefined while the list is loading. */
  id: number | undefined;
  /** Leads to the list of existing notices. */
  onAll: () => void;
}

/** All details of one notice. */
export function NoticeDetail({ id, onAll }: NoticeDetailProps) {
  const { t } = useTranslation();
  return (
    <section className={css.card} aria-label={t('inform.detail')}>
      {id === undefined ? <DetailSkeleton /> : <Fetched key={id} id={id} onAll={onAll} />}
    </section>
  );
}

function Fetched({ id, onAll }: NoticeDetailProps & { id: number }) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const query = useQuery(noticeQuery(language, id));
  const { data: detail } = query;
  useNoticeLive(detail ?? undefined);
  useDeliveriesLive(id);
  if (detail === null) {
    return (
      <Empty
        kind="search"
        title={t('inform.missingTitle')}
        text={t('inform.missingText')}
        action={<Button onClick={onAll}>{t('inform.showAll')}</Button>}
      />
    );
  }
  return (
    <>
      {query.isError ? (
        <div className={css.error}>
          <PageError queries={[query]} notKept={t('inform.notKept')} />
        </div>
      ) : null}
      {detail ? (
        <>
          <Head detail={detail} asOf={query.dataUpdatedAt} />
          {detail.alarmNotice.unsteady ? (
            <div className={css.note}>
              <Unsteady detail={detail} />
            </div>
          ) : null}
          <WhySilent detail={detail} />
          <NoticeChart detail={detail} />
          <AnalysisOfNotice detail={detail} />
          <div className={css.two}>
            <Conditions detail={detail} />
            <DeviceBlock device={detail.alarmDeviceInfoRespDTO} />
          </div>
          {detail.alarmNotice.resolveStatus === 0 ? null : (
            <div className={css.part}>
              <Ending notice={detail.alarmNotice} />
            </div>
          )}
          <div className={css.part}>
            <NotifiedRecipients detail={detail} />
          </div>
        </>
      ) : query.isError ? null : (
        <DetailSkeleton />
      )}
    </>
  );
}

function DetailSkeleton() {
  return (
    <Loading>
      <div className={css.skeleton}>
        <Skeleton height={26} width="52%" />
        <Skeleton height={22} width="34%" />
        <Skeleton height={18} width="76%" />
        <Skeleton height={44} />
        <Skeleton height={300} radius={8} />
        <Skeleton height={80} />
      </div>
    </Loading>
  );
}
