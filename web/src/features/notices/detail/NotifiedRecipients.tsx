import WarningOutlined from '@ant-design/icons/WarningOutlined';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { Note } from '@/ui/Note';
import type { AlarmDetail } from '../queries';
import { Block } from './Block';
import css from './NotifiedRecipients.module.css';
import { RecipientRow } from './RecipientRow';
import { notifiedRecipients, shownState } from './recipients';

/**
 * Who was notified, how, and with which result: one line a recipient, which stands out only if
 * somebody was not notified.
 */
export function NotifiedRecipients({ detail }: { detail: AlarmDetail }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!detail.deliveries) {
    return (
      <Block title={t('inform.told.title')}>
        <p className={css.nobody}>{t('inform.told.notKept')}</p>
        <p className={css.sub}>{t('offline.nothingText')}</p>
      </Block>
    );
  }
  const recipients = notifiedRecipients(detail.deliveries);
  if (recipients.length === 0) {
    return (
      <Block title={t('inform.told.title')}>
        <p className={css.nobody}>{t('inform.told.nobody')}</p>
        <p className={css.sub}>{t('inform.told.why')}</p>
      </Block>
    );
  }
  const failed = recipients.filter(({ state }) => state === 'failed').length;
  const sent = recipients.filter(({ deliveries }) =>
    deliveries.some((delivery) => shownState(delivery) === 'sent'),
  ).length;
  const logged = recipients.some(({ deliveries }) => deliveries.some((delivery) => shownState(delivery) === 'logged'));
  return (
    <Block title={t('inform.told.title')}>
      {failed > 0 ? (
        <p className={css.loud}>
          <WarningOutlined aria-hidden="true" />
          <span>{t('inform.told.loud', { count: failed, n: format.number(failed) })}</span>
        </p>
      ) : null}
      {recipients.length > 1 ? (
        <p className={css.sum}>
          {t('inform.told.sum', { n: format.number(sent), m: format.number(recipients.length) })}
        </p>
      ) : null}
      {logged ? <Note tone="info">{t('inform.told.logged')}</Note> : null}
      <ul className={css.lines}>
        {recipients.map((recipient) => (
          <RecipientRow key={recipient.key} notified={recipient} />
        ))}
      </ul>
    </Block>
  );
}
