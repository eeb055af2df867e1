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
import { useReachability } from '@/lib/offline/reachability';
import { loadRelease, useRelease } from '@/lib/offline/release';
import { useShownAsOf } from '@/lib/offline/useShownAsOf';
import { answerDataSaverOffer, useDataSaver, useDataSaverOffer } from '@/lib/storage/dataSaver';
import { budgetText, mostUsedBudget } from './budget';
import css from './StatusBanner.module.css';
import { useStreamReachability } from './useStreamReachability';

const minRefetchMs = 5000;
/** Of the day's budget the server tells while it is used; that the next one has begun is asked for at its first second. */
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
 * One thing at the top of the page that concerns all of it: that the server is not heard of and how old what stands below is, that a
 * newer console is ready, or that the line is weak. Its title is spoken once; the time beside it may change in silence.
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
        {/* Always there: a screen reader tells only of what appears in a region that it knows. */}
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
  // Whoever shows the statistics asks for them; how late alarms are is asked again while they are.
  const { data: overview } = useQuery({
    ...overviewQuery(),
    enabled: (query) => query.state.data !== undefined && refetchDelay(query.state.data) !== false,
    refetchInterval: (query) => (query.state.data ? refetchDelay(query.state.data) : false),
  });
  const budget = mostUsedBudget(overview?.budgets);
  const lag = reach === 'online' ? overview?.alarmsBehind : undefined;

  const seen = asOf > 0 ? t('offline.seen', { moment: format.moment(asOf, Date.now()) }) : undefined;
  if (reach === 'offline') return { tone: 'old', icon: <DisconnectOutlined />, title: t('offline.none'), text: seen };
  if (reach === 'slow') return { tone: 'old', icon: <HourglassOutlined />, title: t('offline.slow'), text: seen };
  // Where a part of the page says it, with a way to try again, it is not said twice.
  if (reach === 'silent') {
    return alreadyShown
      ? null
      : { tone: 'old', icon: <DisconnectOutlined />, title: t('home.error.silent'), text: seen };
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
