import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { roles } from '@/lib/session/useMay';
import css from './OfferFacts.module.css';
import type { Offer } from './queries';

/** Who invites, as what, with all that this role may, and until when. */
export function OfferFacts({ offer: { invitedBy, role, expiresTime } }: { offer: Offer }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <dl className={css.facts}>
      <dt>{t('invitation.by')}</dt>
      <dd>{invitedBy}</dd>
      <dt>{t('role.title')}</dt>
      <dd>
        {t(`role.${role}`)}
        {roles.slice(0, roles.indexOf(role) + 1).map((least) => (
          <span key={least} className={css.may}>
            {t(`role.may.${least}`)}
          </span>
        ))}
      </dd>
      <dt>{t('invitation.until')}</dt>
      <dd>
        <time dateTime={new Date(expiresTime).toISOString()}>{format.absolute(expiresTime)}</time>
      </dd>
    </dl>
  );
}
