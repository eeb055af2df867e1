import CheckCircleOutlined from '@ant-design/icons/CheckCircleOutlined';
import DownOutlined from '@ant-design/icons/DownOutlined';
import NotificationOutlined from '@ant-design/icons/NotificationOutlined';
import UpOutlined from '@ant-design/icons/UpOutlined';
import { Link } from '@tanstack/react-router';
import { memo, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refuseOffline } from '@/lib/alarm/notSent';
import { useFormat } from '@/lib/format/format';
import { withAntd } from '@/ui/antd/withAntd';
import { lazyComponent } from '@/ui/lazyComponent';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './Attention.module.css';
import { AttentionRow } from './AttentionRow';
import { type AttentionItem, type Attention as Data, itemKey } from './queries';

// The home page has no antd: the dialog brings it, with the theme and the language.
const AckDialog = lazyComponent(() => withAntd(() => import('@/ui/alarm/AckDialog'), 'AckDialog'), 'AckDialog');

/** How many things are shown before the user asks for the others. */
const shownAtFirst = 3;

interface AttentionProps {
  attention: Data | undefined;
  /** There is no data and no query is running; the page says why. */
  failed: boolean;
  /** When the answer was current, by this machine's clock. */
  asOf: number;
  selected: string | undefined;
  onSelect: (deviceName: string) => void;
}

/**
 * What needs a person now: open alarms, silent devices, low batteries, rules that reach nobody. In a calm hour it is one
 * quiet line.
 */
export const Attention = memo(function Attention({ attention, failed, asOf, selected, onSelect }: AttentionProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const title = useId();
  const list = useId();
  const [all, setAll] = useState(false);
  /** The alarm in the dialog; it stays while the dialog closes. */
  const [acking, setAcking] = useState<{ item: AttentionItem; open: boolean }>();
  const items = attention?.items ?? [];
  const total = attention ? attention.alarmCount + attention.silentCount + attention.batteryCount : 0;
  const shown = all ? items : items.slice(0, shownAtFirst);
  const calm = attention !== undefined && total === 0 && !attention.unreached;
  const checked = <span className={css.checked}>{t('home.attention.checked', { time: format.time(asOf) })}</span>;

  return (
    <section className={css.card} aria-labelledby={title} aria-busy={!attention && !failed}>
      <header className={css.head}>
        {calm ? <CheckCircleOutlined className={css.calm} aria-hidden="true" /> : null}
        <h2 className={calm ? css.quiet : css.title} id={title}>
          {calm ? t('home.attention.calm') : t('home.attention.title')}
        </h2>
        {attention ? (
          <>
            <Counts attention={attention} />
            {checked}
          </>
        ) : failed ? (
          <span className={css.checked}>{t('home.attention.failed')}</span>
        ) : (
          <Loading>
            <Skeleton height={16} width={180} />
          </Loading>
        )}
        {items.length > shownAtFirst ? (
          <button
            type="button"
            className={css.more}
            aria-expanded={all}
            aria-controls={list}
            onClick={() => setAll(!all)}
          >
            {all ? t('home.attention.fewer') : t('home.attention.all', { n: format.number(items.length) })}
            {all ? <UpOutlined aria-hidden="true" /> : <DownOutlined aria-hidden="true" />}
          </button>
        ) : null}
      </header>
      {shown.length > 0 ? (
        <ol className={css.list} id={list}>
          {shown.map((item) => (
            <AttentionRow
              key={itemKey(item)}
              item={item}
              selected={item.deviceName === selected}
              onSelect={onSelect}
              onAcknowledge={() => {
                if (!refuseOffline(item.ack !== undefined)) setAcking({ item, open: true });
              }}
            />
          ))}
        </ol>
      ) : null}
      {all && total > items.length ? (
        <p className={css.rest}>
          {t('home.attention.rest', { count: total - items.length, n: format.number(total - items.length) })}
        </p>
      ) : null}
      {attention?.unreached ? <Unreached of={attention.unreached} /> : null}
      {acking?.item.noticeId === undefined ? null : (
        <AckDialog
          id={acking.item.noticeId}
          name={acking.item.title ?? ''}
          open={acking.open}
          acknowledged={acking.item.ack !== undefined}
          other={acking.item.ack}
          note=""
          onClose={() => setAcking({ ...acking, open: false })}
        />
      )}
    </section>
  );
});

/** Running rules whose channels reach nobody; leads to the rules, which say why. */
function Unreached({ of: { count, alarmName: name } }: { of: NonNullable<Data['unreached']> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const others = count - 1;
  return (
    <Link to="/alarm" className={css.unreached}>
      <NotificationOutlined aria-hidden="true" />
      {others === 0
        ? t('home.attention.unreachedOne', { name })
        : t('home.attention.unreached', { name, count: others, n: format.number(others) })}
    </Link>
  );
}

function Counts({ attention }: { attention: Data }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { alarmCount, silentCount, batteryCount } = attention;
  const counts = [
    { count: alarmCount, words: t('home.attention.alarms', { count: alarmCount, n: format.number(alarmCount) }) },
    { count: silentCount, words: t('home.attention.silent', { count: silentCount, n: format.number(silentCount) }) },
    {
      count: batteryCount,
      words: t('home.attention.batteries', { count: batteryCount, n: format.number(batteryCount) }),
    },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return null;
  return <span className={css.counts}>{counts.map(({ words }) => words).join(' · ')}</span>;
}
