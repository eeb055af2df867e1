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
import { useReach } from '@/lib/offline/reach';
import { loadRelease, useRelease } from '@/lib/offline/release';
import { useShownAsOf } from '@/lib/offline/useShownAsOf';
import { overviewQuery } from '@/lib/queries';
import { answerOffer, useSaver, useSaverOffer } from '@/lib/saver';
import { budgetWords, furthest } from './budget';
import css from './Strip.module.css';
import { useStreamReach } from './useStreamReach';

const lagEvery = 5000;
/** Of the day's budget the server tells while it is used; that the next one has begun is asked for at its first second. */
const hour = 3_600_000;

function askAgain({ alarmsBehind, budgets }: Overview): number | false {
  if (alarmsBehind !== undefined) return lagEvery;
  const budget = furthest(budgets);
  return budget ? Math.min(Math.max(budget.until + 1000 - Date.now(), lagEvery), hour) : false;
}

type Overview = components['schemas']['Overview'];

interface Saying {
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
export function Strip() {
  useStreamReach();
  const saying = useSaying();
  return (
    <section className={saying ? `${css.strip} ${css[saying.tone]}` : 'visually-hidden'}>
      {saying ? (
        <span className={css.icon} aria-hidden="true">
          {saying.icon}
        </span>
      ) : null}
      <div className={css.words}>
        {/* Always there: a screen reader tells only of what appears in a region that it knows. */}
        <p className={css.title} role="status">
          {saying?.title}
        </p>
        {saying?.text ? <p className={css.text}>{saying.text}</p> : null}
      </div>
      {saying?.actions ? <div className={css.actions}>{saying.actions}</div> : null}
    </section>
  );
}

function useSaying(): Saying | null {
  const { t } = useTranslation();
  const format = useFormat();
  const reach = useReach((state) => state.reach);
  const { asOf, told } = useShownAsOf();
  const newer = useRelease((state) => state.newer);
  const weak = useSaverOffer((state) => state.weak);
  const saver = useSaver();
  // Whoever shows the statistics asks for them; how late alarms are is asked again while they are.
  const { data: overview } = useQuery({
    ...overviewQuery(),
    enabled: (query) => query.state.data !== undefined && askAgain(query.state.data) !== false,
    refetchInterval: (query) => (query.state.data ? askAgain(query.state.data) : false),
  });
  const budget = furthest(overview?.budgets);
  const lag = reach === 'online' ? overview?.alarmsBehind : undefined;

  const seen = asOf > 0 ? t('offline.seen', { moment: format.moment(asOf, Date.now()) }) : undefined;
  if (reach === 'offline') return { tone: 'old', icon: <DisconnectOutlined />, title: t('offline.none'), text: seen };
  if (reach === 'slow') return { tone: 'old', icon: <HourglassOutlined />, title: t('offline.slow'), text: seen };
  // Where a part of the page says it, with a way to try again, it is not said twice.
  if (reach === 'silent') {
    return told ? null : { tone: 'old', icon: <DisconnectOutlined />, title: t('home.error.silent'), text: seen };
  }
  if (lag)
    return {
      tone: 'old',
      icon: <HourglassOutlined />,
      title: t('behind.title', { lag: format.duration(lag * 1000) }),
      text: t('behind.text'),
    };
  if (budget) return { tone: 'old', icon: <ExclamationCircleOutlined />, ...budgetWords(budget, format, t) };
  if (newer) {
    return {
      tone: 'calm',
      icon: <CloudDownloadOutlined />,
      title: t('release.newer'),
      text: t('release.text'),
      actions: <StripButton words={t('release.load')} onClick={loadRelease} />,
    };
  }
  if (weak && !saver) {
    return {
      tone: 'calm',
      icon: <WifiOutlined />,
      title: t('saver.offer'),
      text: t('saver.offerText'),
      actions: (
        <>
          <StripButton words={t('saver.turnOn')} onClick={() => answerOffer(true)} />
          <StripButton words={t('saver.notNow')} onClick={() => answerOffer(false)} quiet />
        </>
      ),
    };
  }
  return null;
}

interface StripButtonProps {
  words: string;
  onClick: () => void;
  quiet?: boolean;
}

function StripButton({ words, onClick, quiet = false }: StripButtonProps) {
  return (
    <button type="button" className={`${css.button} ${quiet ? css.quiet : ''}`} onClick={onClick}>
      {words}
    </button>
  );
}
