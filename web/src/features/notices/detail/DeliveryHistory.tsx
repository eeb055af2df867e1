import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import type { Delivery } from '../queries';
import css from './DeliveryHistory.module.css';
import { deliveryStatusText } from './reasons';
import { isPlanned, shownState } from './recipients';

/** More reminders would hide the beginning and the end. */
const maxReminders = 3;

interface DeliveryHistoryProps {
  id: string;
  /** The deliveries to one recipient: the beginning, the reminders, the end. */
  deliveries: readonly Delivery[];
}

/**
 * All steps of the deliveries to one recipient, with the answers of the mail server, gateway or
 * program.
 */
export function DeliveryHistory({ id, deliveries }: DeliveryHistoryProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [all, setAll] = useState(false);
  const reminders = deliveries.filter(({ event }) => event === 'reminder');
  const hidden = all ? 0 : Math.max(0, reminders.length - maxReminders);
  const hiddenReminders = new Set(reminders.slice(0, hidden));
  const firstShown = reminders[hidden];
  return (
    <ol className={css.story} id={id}>
      {deliveries.map((delivery) => {
        if (hiddenReminders.has(delivery)) return null;
        const nth = reminders.indexOf(delivery) + 1;
        return (
          <li key={delivery.id} className={css.part}>
            {hidden > 0 && delivery === firstShown ? (
              <button type="button" className={css.earlier} onClick={() => setAll(true)}>
                {t('inform.told.earlier', { count: hidden, n: format.number(hidden) })}
              </button>
            ) : null}
            <DeliveryEntry delivery={delivery} nth={nth} />
          </li>
        );
      })}
    </ol>
  );
}

function DeliveryEntry({ delivery, nth }: { delivery: Delivery; nth: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { event, state, digest, steps } = delivery;
  const planned = isPlanned(delivery);
  const shown = shownState(delivery);
  const how = useClock((now) => {
    if (!planned || delivery.nextTime === undefined) return deliveryStatusText(delivery, now, format, t);
    return t('inform.told.nextReminder', { time: format.moment(delivery.nextTime, now) });
  });
  const title = [
    event === 'reminder'
      ? t('inform.told.events.reminder', { n: format.number(nth) })
      : t(`inform.told.events.${event}`),
    digest ? t('inform.told.digest') : '',
    planned ? t('inform.told.planned') : t(`inform.told.states.${shown}`),
  ];
  return (
    <>
      <p className={css.title}>{title.filter(Boolean).join(' · ')}</p>
      {shown === 'queued' || shown === 'skipped' ? <p className={css.how}>{how}</p> : null}
      <ol className={css.steps}>
        {steps.map((step, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
          <Step key={`${step.time} ${i}`} step={step} last={state === 'failed' && i === steps.length - 1} />
        ))}
      </ol>
    </>
  );
}

/** `last`: this was the last attempt. */
function Step({ step: { time, step, answer }, last }: { step: Delivery['steps'][number]; last: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const clock = useClock((now) => format.moment(time, now, 'seconds'));
  return (
    <li className={`${css.step} ${step === 'failed' || step === 'refused' ? css.wrong : ''}`}>
      <time className={css.time} dateTime={new Date(time).toISOString()} title={format.absolute(time)}>
        {clock}
      </time>
      <span className={css.words}>
        {last && step === 'failed' ? t('inform.told.steps.gaveUp') : t(`inform.told.steps.${step}`)}
        {answer ? <span className={css.answer}>{answer}</span> : null}
      </span>
    </li>
  );
}
