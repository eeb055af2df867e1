import CheckOutlined from '@ant-design/icons/CheckOutlined';
import MinusOutlined from '@ant-design/icons/MinusOutlined';
import MoonOutlined from '@ant-design/icons/MoonOutlined';
import SunOutlined from '@ant-design/icons/SunOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Rehearsal } from '@/lib/alarm/types';
import type { DeliveryReach } from '@/lib/channel/deliveryReach';
import { useFormat } from '@/lib/format/format';
import css from './NoticeList.module.css';
import { durationOf } from './summary';

/** This many notices are shown at first, the newest. */
const initialCount = 6;

interface NoticeListProps {
  rehearsal: Rehearsal;
  /** Whether the rule names a channel; without one nobody is notified. */
  notifies: boolean;
  /** How far messages to its channels get. */
  reach: DeliveryReach;
}

/**
 * What the rule would have recorded: when, for how long, by night or day, and whether people would
 * have been notified.
 */
export function NoticeList({ rehearsal, notifies, reach }: NoticeListProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [all, setAll] = useState(false);
  const { notices, endTime, total } = rehearsal;
  const shown = all ? notices : notices.slice(-initialCount);
  const hidden = total - shown.length;
  if (total === 0) return null;
  return (
    <>
      {total > initialCount ? (
        <button type="button" className={css.more} onClick={() => setAll(!all)}>
          {all ? t('rule.rehearsal.fewer') : t('rule.rehearsal.earlier', { count: hidden, n: format.number(hidden) })}
        </button>
      ) : null}
      <ul className={css.list} aria-label={t('rule.rehearsal.list')}>
        {shown.map((notice) => (
          <li key={notice.startTime} className={css.notice}>
            <span className={css.when}>
              <span className={css.light} title={t(notice.night ? 'rule.rehearsal.night' : 'rule.rehearsal.day')}>
                {notice.night ? <MoonOutlined aria-hidden="true" /> : <SunOutlined aria-hidden="true" />}
                <span className="visually-hidden">
                  {t(notice.night ? 'rule.rehearsal.night' : 'rule.rehearsal.day')}
                </span>
              </span>
              {format.moment(notice.startTime, endTime + 86_400_000)}
            </span>
            <span className={css.span}>
              {notice.endTime === undefined ? t('rule.rehearsal.open') : format.duration(durationOf(notice, endTime))}
              {notice.unsteady ? ` · ${t('rule.rehearsal.unsteady')}` : null}
            </span>
            {notifies && notice.told && reach !== 'out' ? (
              <span className={css.outside}>{t(`rule.rehearsal.reach.${reach}.mark`)}</span>
            ) : notifies ? (
              <span className={notice.told ? css.told : css.outside}>
                {notice.told ? <CheckOutlined aria-hidden="true" /> : <MinusOutlined aria-hidden="true" />}
                {t(notice.told ? 'rule.rehearsal.toldMark' : 'rule.rehearsal.outside')}
              </span>
            ) : (
              <span className={css.outside}>{t('rule.rehearsal.recordedMark')}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
