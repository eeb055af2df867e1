import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import LinkOutlined from '@ant-design/icons/LinkOutlined';
import RollbackOutlined from '@ant-design/icons/RollbackOutlined';
import SendOutlined from '@ant-design/icons/SendOutlined';
import StopOutlined from '@ant-design/icons/StopOutlined';
import { Button } from 'antd';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { Address } from '../Address';
import css from './Invitations.module.css';
import { inviteeOf } from './names';
import type { Invitation } from './queries';

interface InvitationRowProps {
  invitation: Invitation;
  /** It is being sent again. */
  busy: boolean;
  onResend: () => void;
  onTakeBack: () => void;
}

/** For whom, as what, by whom and until when; send it again, or take it back. */
export function InvitationRow({ invitation, busy, onResend, onTakeBack }: InvitationRowProps) {
  const { t } = useTranslation();
  const { nickname, email, role, invitedBy, mailed } = invitation;
  const name = inviteeOf(invitation) ?? t('people.open.byHand');
  const again = t(mailed ? 'people.open.resend' : 'people.open.newLink');
  return (
    <li className={css.row}>
      <div className={css.who}>
        <p className={css.name}>{nickname ? nickname : email ? <Address of={email} /> : name}</p>
        {nickname && email ? (
          <p className={css.quiet}>
            <Address of={email} />
          </p>
        ) : null}
      </div>
      <div className={css.facts}>
        <p>{t(`role.${role}`)}</p>
        <p className={css.quiet}>{t('people.open.byName', { name: invitedBy })}</p>
      </div>
      <Validity invitation={invitation} />
      <div className={css.actions}>
        <Button
          type="text"
          size="small"
          className={css.action}
          icon={mailed ? <SendOutlined aria-hidden="true" /> : <LinkOutlined aria-hidden="true" />}
          loading={busy}
          aria-label={`${again}: ${name}`}
          onClick={onResend}
        >
          {again}
        </Button>
        <Button
          type="text"
          size="small"
          className={css.action}
          icon={<RollbackOutlined aria-hidden="true" />}
          aria-label={`${t('people.open.takeBack')}: ${name}`}
          onClick={onTakeBack}
        >
          {t('people.open.takeBack')}
        </Button>
      </div>
    </li>
  );
}

/**
 * Until when the link holds. One that does not hold stays, to be sent again: it has expired, or whoever invited may not
 * invite any more.
 */
function Validity({ invitation: { expiresTime, withdrawn, invitedBy } }: Pick<InvitationRowProps, 'invitation'>) {
  const { t } = useTranslation();
  const format = useFormat();
  const expired = useClock(useCallback((now: number) => expiresTime <= now, [expiresTime]));
  const time = useClock(useCallback((now: number) => format.moment(expiresTime, now), [format, expiresTime]));
  if (withdrawn && !expired) {
    return (
      <div className={css.validity}>
        <p className={css.expired}>
          <StopOutlined aria-hidden="true" />
          {t('people.open.withdrawn')}
        </p>
        <p className={css.quiet}>{t(`people.open.why.${withdrawn}`, { name: invitedBy })}</p>
      </div>
    );
  }
  return (
    <p className={`${css.validity} ${expired ? css.expired : ''}`} title={format.absolute(expiresTime)}>
      {expired ? <ClockCircleOutlined aria-hidden="true" /> : null}
      {expired ? t('people.open.expired') : t('people.open.until', { time })}
    </p>
  );
}
