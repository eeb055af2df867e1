import CloudDownloadOutlined from '@ant-design/icons/CloudDownloadOutlined';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import HourglassOutlined from '@ant-design/icons/HourglassOutlined';
import WifiOutlined from '@ant-design/icons/WifiOutlined';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { useFormat } from '@/lib/format/format';
import { overviewQuery } from '@/lib/http/queries';
import { useLiveStatus } from '@/lib/live/useLive';
import { useReachability } from '@/lib/offline/reachability';
import { loadRelease, useRelease } from '@/lib/offline/release';
import { useShownAsOf } from '@/lib/offline/useShownAsOf';
import { answerDataSaverOffer, useDataSaver, useDataSaverOffer } from '@/lib/storage/dataSaver';
import { budgetText, mostUsedBudget } from './budget';
import css from './StatusBanner.module.css';
import { useStreamReachability } from './useStreamReachability';

const minRefetchMs = 5000;
/**
 * The server sends events about the day's budget while it is in use; the console refetches it at
 * the first second of the next day, or after this long.
 */
const maxRefetchMs = 3_600_000;

function refetchDelay({ alarmsBehind, budgets }: Overview): number | false {
  if (alarmsBehind !== undefined) return minRefetchMs;
  const budget = mostUsedBudget(budgets);
  return budget ? Math.min(Math.max(budget.until + 1000 - Date.now(), minRefetchMs), maxRefetchMs) : false;
}

type Overview = components['schemas']['Overview'];

interface BannerContent {
  tone: 'old' | 'calm';
  icon: ReactNode;
  title: string;
  text?: string;
  actions?: ReactNode;
}

/**
 * A banner at the top that concerns the whole page: the server does not answer and the data below
 * is so old, a newer console is ready, or the connection is slow. A screen reader announces its
 * title once; the time beside it may change silently.
 */
export function StatusBanner() {
  useStreamReachability();
  const banner = useBannerContent();
  return (
    <section className={banner ? `${css.strip} ${css[banner.tone]}` : 'visually-hidden'}>
      {banner ? (
        <span className={css.icon} aria-hidden="true">
          {banner.icon}
        </span>
      ) : null}
      <div className={css.words}>
        {/* Always in the page: a screen reader announces only what appears in a region that it knows. */}
        <p className={css.title} role="status">
          {banner?.title}
        </p>
        {banner?.text ? <p className={css.text}>{banner.text}</p> : null}
      </div>
      {banner?.actions ? <div className={css.actions}>{banner.actions}</div> : null}
    </section>
  );
}

function useBannerContent(): BannerContent | null {
  const { t } = useTranslation();
  const format = useFormat();
  const reach = useReachability((state) => state.reach);
  const { asOf, told: alreadyShown } = useShownAsOf();
  const newer = useRelease((state) => state.newer);
  const weakConnection = useDataSaverOffer((state) => state.weak);
  const dataSaver = useDataSaver();
  // The pages that show the statistics fetch them; while alarms are delayed, this refetches the
  // delay.
  const { data: overview } = useQuery({
    ...overviewQuery(),
    enabled: (query) => query.state.data !== undefined && refetchDelay(query.state.data) !== false,
    refetchInterval: (query) => (query.state.data ? refetchDelay(query.state.data) : false),
  });
  const budget = mostUsedBudget(overview?.budgets);
  const { storageStoppedAt } = useLiveStatus();
  const lag = reach === 'online' ? overview?.alarmsBehind : undefined;

  const seen = asOf > 0 ? t('offline.seen', { moment: format.moment(asOf, Date.now()) }) : undefined;
  if (reach === 'offline') return { tone: 'old', icon: <DisconnectOutlined />, title: t('offline.none'), text: seen };
  if (reach === 'slow') return { tone: 'old', icon: <HourglassOutlined />, title: t('offline.slow'), text: seen };
  // If a part of the page says it and offers a retry, the banner does not repeat it.
  if (reach === 'silent') {
    return alreadyShown
      ? null
      : { tone: 'old', icon: <DisconnectOutlined />, title: t('home.error.silent'), text: seen };
  }
  if (storageStoppedAt !== null) {
    return {
      tone: 'old',
      icon: <HourglassOutlined />,
      title: t('storage.title'),
      text: t('storage.text', { moment: format.moment(storageStoppedAt, Date.now()) }),
    };
  }
  if (lag)
    return {
      tone: 'old',
      icon: <HourglassOutlined />,
      title: t('behind.title', { lag: format.duration(lag * 1000) }),
      text: t('behind.text'),
    };
  if (budget) return { tone: 'old', icon: <ExclamationCircleOutlined />, ...budgetText(budget, format, t) };
  if (newer) {
    return {
      tone: 'calm',
      icon: <CloudDownloadOutlined />,
      title: t('release.newer'),
      text: t('release.text'),
      actions: <BannerButton words={t('release.load')} onClick={loadRelease} />,
    };
  }
  if (weakConnection && !dataSaver) {
    return {
      tone: 'calm',
      icon: <WifiOutlined />,
      title: t('saver.offer'),
      text: t('saver.offerText'),
      actions: (
        <>
          <BannerButton words={t('saver.turnOn')} onClick={() => answerDataSaverOffer(true)} />
          <BannerButton words={t('saver.notNow')} onClick={() => answerDataSaverOffer(false)} quiet />
        </>
      ),
    };
  }
  return null;
}

interface BannerButtonProps {
  words: string;
  onClick: () => void;
  quiet?: boolean;
}

function BannerButton({ words, onClick, quiet = false }: BannerButtonProps) {
  return (
    <button type="button" className={`${css.button} ${quiet ? css.quiet : ''}`} onClick={onClick}>
      {words}
    </button>
  );
}
