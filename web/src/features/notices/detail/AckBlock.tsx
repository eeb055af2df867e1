import ToolOutlined from '@ant-design/icons/ToolOutlined';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Ack } from '@/lib/alarm/notices';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import css from './AckBlock.module.css';

interface AckBlockProps {
  ack: Ack;
  mayChange: boolean;
  onChange: () => void;
  onTakeBack: () => void;
}

/**
 * The acknowledgement of an open notice: by whom, since when, with which note, and until when
 * reminders pause.
 */
export function AckBlock({ ack, mayChange, onChange, onTakeBack }: AckBlockProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { user, time, note, remindAt } = ack;
  const since = useClock((now) => format.moment(time, now));
  const rests = useClock((now) =>
    t(remindAt > now ? 'inform.ack.rests' : 'inform.ack.rested', { time: format.moment(remindAt, now) }),
  );
  return (
    <section className={css.ack} aria-label={t('inform.ack.label')}>
      <ToolOutlined className={css.icon} aria-hidden="true" />
      <div className={css.words}>
        <p>
          <b className={css.who}>{t('inform.ack.state', { user })}</b>{' '}
          <time className={css.small} dateTime={new Date(time).toISOString()} title={format.absolute(time)}>
            {t('inform.ack.since', { time: since })}
          </time>
        </p>
        {note ? (
          <blockquote className={css.note} aria-label={t('inform.ack.note')}>
            {note}
          </blockquote>
        ) : null}
        <p className={css.small}>{rests}</p>
        {mayChange ? (
          <div className={css.actions}>
            <Button size="small" aria-haspopup="dialog" onClick={onChange}>
              {t('inform.ack.change')}
            </Button>
            <Button size="small" aria-haspopup="dialog" onClick={onTakeBack}>
              {t('inform.ack.takeBack')}
            </Button>
          </div>
        ) : null}
      </div>
    </section>
  );
}
