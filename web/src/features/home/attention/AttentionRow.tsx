import CheckOutlined from '@ant-design/icons/CheckOutlined';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import LineChartOutlined from '@ant-design/icons/LineChartOutlined';
import ThunderboltOutlined from '@ant-design/icons/ThunderboltOutlined';
import ToolOutlined from '@ant-design/icons/ToolOutlined';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Level } from '@/lib/alarm/types';
import { analysisAddress, rangeAround } from '@/lib/analysis/address';
import { nameOf } from '@/lib/device/types';
import { useClock, useNow } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useMay } from '@/lib/session/useMay';
import { Since } from '@/ui/alarm/Since';
import { levelIcons } from '@/ui/alarm/tags';
import { StateDot } from '@/ui/StateDot';
import css from './AttentionRow.module.css';
import type { AttentionItem } from './queries';
import { Value } from './Value';

interface AttentionRowProps {
  item: AttentionItem;
  selected: boolean;
  onSelect: (deviceName: string) => void;
  onAcknowledge: () => void;
}

/**
 * One thing that needs a person: what it is, on which device, its value beside its limit, since
 * when, and what to do about it. The device's name selects it on this page.
 */
export function AttentionRow({ item, selected, onSelect, onAcknowledge }: AttentionRowProps) {
  const { t } = useTranslation();
  const { kind, deviceName, groupName, onlineState, startTime, ack } = item;
  const mayAct = useMay('operator');
  const name = nameOf(item);
  const history = useHistoryAddress(item);
  return (
    <li className={`${css.row} ${selected ? css.selected : ''}`} data-level={item.alarmLevel}>
      <Mark item={item} />
      <span className={css.what}>
        <What item={item} />
        <span className={css.where}>
          <StateDot device={{ onlineState }} />
          <button
            type="button"
            className={css.device}
            aria-pressed={selected}
            title={name}
            onClick={() => onSelect(deviceName)}
          >
            {name}
          </button>
          {groupName === '' ? null : (
            <span className={css.scene} title={groupName}>
              {groupName}
            </span>
          )}
        </span>
      </span>
      <Value item={item} />
      {startTime === undefined ? (
        <SilentSince since={item.since} />
      ) : (
        <Since className={css.since} known={{ ...item, startTime }} />
      )}
      <span className={css.acts}>
        {kind === 'alarm' && ack ? (
          <span className={css.ack} title={t('inform.ack.state', { user: ack.user })}>
            <ToolOutlined aria-hidden="true" /> {ack.user}
            <span className="visually-hidden">{t('inform.ack.state', { user: ack.user })}</span>
          </span>
        ) : null}
        {kind === 'alarm' && !ack && mayAct ? (
          <button
            type="button"
            className={css.act}
            aria-haspopup="dialog"
            aria-label={t('home.attention.ackOf', { title: item.title, name })}
            onClick={onAcknowledge}
          >
            <ToolOutlined aria-hidden="true" />
            {t('inform.ack.button')}
          </button>
        ) : null}
        {item.mayResolve && mayAct ? (
          <Link
            to="/inform"
            search={{ id: item.noticeId, solve: 1 }}
            className={`${css.link} ${css.solve}`}
            aria-label={t('home.attention.solveOf', { title: item.title, name })}
            title={t('inform.solve.button')}
          >
            <CheckOutlined aria-hidden="true" />
          </Link>
        ) : (
          <span className={css.noSolve} />
        )}
        <Link
          to="/analysis"
          search={history}
          className={css.link}
          aria-label={t('data.card.historyOf', { name })}
          title={t('data.card.historyOf', { name })}
        >
          <LineChartOutlined aria-hidden="true" />
          <span className={css.linkWord}>{t('data.card.history')}</span>
        </Link>
      </span>
    </li>
  );
}

const hourMs = 3_600_000;

/** What the thing is about, with an alarm's limit, up to now; of a silent device, the main property. */
function useHistoryAddress({ deviceName, identifier, since, noticeId }: AttentionItem) {
  const now = useNow(hourMs);
  return analysisAddress({
    devices: [deviceName],
    signs: identifier === undefined ? [] : [identifier],
    range: rangeAround(since ?? now, now),
    alarm: noticeId,
  });
}

/** The kind of thing as an icon with a word: no colour alone says it. */
function Mark({ item: { kind, alarmLevel = 0 } }: { item: AttentionItem }) {
  const { t } = useTranslation();
  const Icon =
    kind === 'alarm' ? levelIcons[alarmLevel as Level] : kind === 'silent' ? DisconnectOutlined : ThunderboltOutlined;
  const word = kind === 'alarm' ? t(`home.level.${alarmLevel as Level}`) : t(`home.attention.kind.${kind}`);
  return (
    <span className={`${css.mark} ${kind === 'alarm' ? '' : css.plain}`} title={word}>
      <Icon aria-hidden="true" />
      <span className="visually-hidden">{word}</span>
    </span>
  );
}

/** What it is; leads to where it is explained. */
function What({ item: { kind, noticeId, title, deviceName } }: { item: AttentionItem }) {
  const { t } = useTranslation();
  if (kind === 'alarm') {
    return (
      <Link to="/inform" search={{ id: noticeId }} className={css.title} title={title}>
        {title}
      </Link>
    );
  }
  return (
    <Link to="/device" search={{ device: deviceName }} className={css.title}>
      {t(`home.attention.kind.${kind}`)}
    </Link>
  );
}

function SilentSince({ since }: Pick<AttentionItem, 'since'>) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useClock((now) =>
    since === undefined ? '' : format.capital(t('home.attention.since', { time: format.moment(since, now) })),
  );
  if (since === undefined) return <span className={css.since} />;
  return (
    <time className={css.since} dateTime={new Date(since).toISOString()} title={format.absolute(since)}>
      {words}
    </time>
  );
}
