import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { useLive } from '@/lib/live/useLive';
import { Chip, type ChipTone } from '@/ui/Chip';
import { ErrorNote } from '@/ui/ErrorNote';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './Deliveries.module.css';
import { deliveriesKey, deliveriesQuery, type WebhookDelivery } from './queries';

const tones: Record<WebhookDelivery['state'], ChipTone> = {
  sent: 'ok',
  queued: 'warn',
  failed: 'clay',
  skipped: 'off',
};

/** Why it waits or was not sent, unless the answer already says so. */
function reasonText(reason: WebhookDelivery['reason'], t: TFunction): string {
  switch (reason) {
    case undefined:
      return '';
    case 'server':
    case 'refused':
    case 'off':
      return t(`inform.told.reason.${reason}.webhook`);
    default:
      return t(`inform.told.reason.${reason}`);
  }
}

/** The last deliveries to a webhook with its program's answers, kept current by the live stream. */
export function Deliveries({ id, of }: { id: string; of: number }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, ...query } = useQuery(deliveriesQuery(of));
  useLive((events) => {
    if (events.some(({ name }) => name === 'delivery' || name === 'message' || name === 'reset')) {
      void client.invalidateQueries({ queryKey: [...deliveriesKey, of] });
    }
  });
  return (
    <div id={id} className={css.box}>
      {query.isPending ? (
        <Loading>
          <Skeleton height={48} />
        </Loading>
      ) : null}
      {query.isError ? (
        <ErrorNote
          title={t('webhook.deliveriesFail')}
          text={errorText(query.error)}
          onRetry={() => query.refetch()}
          busy={query.isFetching}
        />
      ) : null}
      {data?.length === 0 ? <p className={css.none}>{t('webhook.none')}</p> : null}
      {data && data.length > 0 ? (
        <ol className={css.list}>
          {data.map((delivery) => (
            <Line key={delivery.id} delivery={delivery} />
          ))}
        </ol>
      ) : null}
    </div>
  );
}

function Line({ delivery }: { delivery: WebhookDelivery }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { event, title, state, reason, attempts, answer, nextTime, updateTime, noticeId } = delivery;
  const time = useClock((now) => format.moment(updateTime, now));
  const words = [
    reasonText(reason, t),
    attempts > 1 ? t('webhook.attempts', { count: attempts, n: format.number(attempts) }) : '',
    nextTime ? t('webhook.next', { time: format.time(nextTime) }) : '',
  ].filter(Boolean);
  return (
    <li className={css.line}>
      <time className={css.time} dateTime={new Date(updateTime).toISOString()} title={format.absolute(updateTime)}>
        {time}
      </time>
      <div className={css.words}>
        <p className={css.what}>
          <Link to="/inform" search={{ id: noticeId }}>
            {t(`webhook.told.${event}`, { title })}
          </Link>{' '}
          <Chip tone={tones[state]}>{t(`inform.told.states.${state}`)}</Chip>
        </p>
        {words.length > 0 ? <p className={css.sub}>{words.join(' · ')}</p> : null}
        {answer ? <p className={css.answer}>{answer}</p> : null}
      </div>
    </li>
  );
}
