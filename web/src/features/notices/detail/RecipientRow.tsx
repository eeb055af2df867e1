import CheckOutlined from '@ant-design/icons/CheckOutlined';
import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import CloseOutlined from '@ant-design/icons/CloseOutlined';
import DownOutlined from '@ant-design/icons/DownOutlined';
import FileTextOutlined from '@ant-design/icons/FileTextOutlined';
import MinusOutlined from '@ant-design/icons/MinusOutlined';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import type { Language } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { Chip, type ChipTone } from '@/ui/Chip';
import { ChannelKindIcons } from '@/ui/channel/channelKinds';
import { DeliveryHistory } from './DeliveryHistory';
import css from './NotifiedRecipients.module.css';
import { deliveryStatusText } from './reasons';
import type { NotifiedRecipient, ShownState } from './recipients';

/** Icon and colour of each state. */
export const stateLooks = {
  sent: { Icon: CheckOutlined, tone: 'ok' },
  failed: { Icon: CloseOutlined, tone: 'clay' },
  queued: { Icon: ClockCircleOutlined, tone: 'warn' },
  skipped: { Icon: MinusOutlined, tone: 'off' },
  logged: { Icon: FileTextOutlined, tone: 'off' },
} as const satisfies Record<ShownState, { Icon: unknown; tone: ChipTone }>;

/**
 * One recipient, by name if a person of the tenant has the address or number, and its state. All attempts open below it, automatically if the delivery failed.
 */
export function RecipientRow({ notified }: { notified: NotifiedRecipient }) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const { recipient, people, channel, mode, state, main, deliveries, reminders, planned } = notified;
  const name = people.length === 0 ? recipient : listOf(format.language, people);
  // Until the user decides, a failed delivery is open, even if it fails while it is shown.
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? state === 'failed';
  const { Icon, tone } = stateLooks[state];
  const clock = useClock((now) => format.moment(main.updateTime, now, 'seconds'));
  const how = useClock((now) => deliveryStatusText(main, now, format, t));
  const next = useClock((now) =>
    planned === undefined ? '' : t('inform.told.nextReminder', { time: format.moment(planned, now) }),
  );
  return (
    <li className={css.line}>
      <span className={`${css.mark} ${css[state]}`} aria-hidden="true">
        <Icon />
      </span>
      <div className={css.words}>
        <p className={css.what}>
          <b className={css.who}>{name}</b>
          <Chip tone={tone}>{t(`inform.told.states.${state}`)}</Chip>
          {deliveries.some(({ digest }) => digest) ? <Chip tone="tag">{t('inform.told.digest')}</Chip> : null}
          {reminders > 0 ? (
            <Chip tone="tag">{t('inform.told.reminders', { count: reminders, n: format.number(reminders) })}</Chip>
          ) : null}
        </p>
        <p className={css.sub}>
          <ChannelKindIcons of={[mode]} /> {channel}
          {people.length === 0 ? null : <span className={css.how}>{recipient}</span>}
          <span className={css.how}>{how}</span>
          {next ? <span className={css.how}>{next}</span> : null}
        </p>
      </div>
      <span className={css.end}>
        <time
          className={css.time}
          dateTime={new Date(main.updateTime).toISOString()}
          title={format.absolute(main.updateTime)}
        >
          {clock}
        </time>
        <button
          type="button"
          className={`${css.more} ${open ? css.open : ''}`}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          aria-label={t('inform.told.details', { name })}
          title={t('inform.told.details', { name })}
          onClick={() => setChosen(!open)}
        >
          <DownOutlined aria-hidden="true" />
        </button>
      </span>
      {open ? <DeliveryHistory id={id} deliveries={deliveries} /> : null}
    </li>
  );
}

function listOf(language: Language, names: readonly string[]): string {
  return new Intl.ListFormat(descriptors[language].intl, { type: 'conjunction' }).format(names);
}
