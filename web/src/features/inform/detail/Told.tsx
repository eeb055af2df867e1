import CheckOutlined from '@ant-design/icons/CheckOutlined';
import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import CloseOutlined from '@ant-design/icons/CloseOutlined';
import MinusOutlined from '@ant-design/icons/MinusOutlined';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import type { AlarmDetail } from '../queries';
import { Block } from './Block';
import css from './Told.module.css';
import { type ToldLine, toldLines } from './told';
import { momentText } from './words';

const looks = {
  sent: { Icon: CheckOutlined, tone: css.sent },
  failed: { Icon: CloseOutlined, tone: css.failed },
  queued: { Icon: ClockCircleOutlined, tone: css.queued },
  skipped: { Icon: MinusOutlined, tone: css.skipped },
};

/** Who was told, how, and what came of it. */
export function Told({ deliveries }: { deliveries: AlarmDetail['deliveries'] }) {
  const { t } = useTranslation();
  const lines = toldLines(deliveries);
  return (
    <Block title={t('inform.told.title')}>
      {lines.length === 0 ? (
        <>
          <p className={css.nobody}>{t('inform.told.nobody')}</p>
          <p className={css.sub}>{t('inform.told.why')}</p>
        </>
      ) : (
        <ol className={css.lines}>
          {lines.map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </ol>
      )}
    </Block>
  );
}

function Line({ line }: { line: ToldLine }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { state, event, mode, name, count, all, time } = line;
  const { Icon, tone } = looks[state];
  const clock = useClock((now) => momentText(time, now, format));
  const to =
    count === all ? format.number(count) : t('inform.told.of', { n: format.number(count), m: format.number(all) });
  return (
    <li className={css.line}>
      <span className={`${css.mark} ${tone}`} aria-hidden="true">
        <Icon />
      </span>
      <div className={css.words}>
        <p className={css.what}>
          <b className={css.who}>{name}</b>{' '}
          <span>
            {state === 'failed' ? t(`inform.told.${mode}.failed`) : t(`inform.told.${mode}.${state}`, { to })}
          </span>
          {event === 'resolved' ? <span className={css.end}>{t('inform.told.end')}</span> : null}
        </p>
        <p className={css.sub}>
          <How line={line} />
        </p>
      </div>
      <time className={css.time} dateTime={new Date(time).toISOString()} title={format.absolute(time)}>
        {clock}
      </time>
    </li>
  );
}

/** What the far end said. */
function How({ line: { state, attempts, tookMs, error } }: { line: ToldLine }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (state === 'sent') {
    if (attempts <= 1) {
      const span = t('format.age.seconds', { value: format.number(tookMs / 1000, tookMs < 10_000 ? 1 : 0) });
      return t('inform.told.accepted', { span });
    }
    return error ? t('inform.told.before', { n: attempts, error }) : t('inform.told.attempt', { n: attempts });
  }
  if (!error) return state === 'queued' ? null : t('inform.told.noReason');
  return attempts > 1 ? t('inform.told.tried', { count: attempts, n: format.number(attempts), error }) : error;
}
