import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import type { AlarmDetail } from '../queries';
import { Block } from './Block';
import css from './blocks.module.css';

/**
 * Why the notice ended; for a manual end, by whom and with which remark; and who had acknowledged
 * it.
 */
export function Ending({ notice }: { notice: AlarmDetail['alarmNotice'] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { resolveReason, resolveAttribute: name, resolveStatus, resolveUser: user, remark, ack } = notice;
  const since = useClock((now) => (ack ? format.moment(ack.time, now) : ''));
  const reason = resolveReason ?? (resolveStatus === 2 ? 'byHand' : 'recovered');
  const words = () => {
    if (reason === 'byHand' && user) return t('inform.ended.byUser', { user });
    if (reason !== 'attributeGone') return t(`inform.ended.${reason}`);
    return name ? t('inform.ended.attributeGone', { name }) : t('inform.ended.anyAttributeGone');
  };
  return (
    <Block title={t('inform.ended.title')}>
      <p className={css.text}>{words()}</p>
      {remark ? (
        <blockquote className={css.remark} aria-label={t('inform.ended.remark')}>
          {remark}
        </blockquote>
      ) : null}
      {ack ? (
        <>
          <p className={`${css.small} ${css.after}`}>{t('inform.ack.was', { user: ack.user, time: since })}</p>
          {ack.note ? (
            <blockquote className={css.remark} aria-label={t('inform.ack.note')}>
              {ack.note}
            </blockquote>
          ) : null}
        </>
      ) : null}
    </Block>
  );
}
