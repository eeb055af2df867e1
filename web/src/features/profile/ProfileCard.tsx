import CameraOutlined from '@ant-design/icons/CameraOutlined';
import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import HistoryOutlined from '@ant-design/icons/HistoryOutlined';
import MailOutlined from '@ant-design/icons/MailOutlined';
import MobileOutlined from '@ant-design/icons/MobileOutlined';
import RightOutlined from '@ant-design/icons/RightOutlined';
import SafetyOutlined from '@ant-design/icons/SafetyOutlined';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { missingValue, useFormat } from '@/lib/format/format';
import { useMay } from '@/lib/session/useMay';
import { maskNumber } from '@/lib/text/phoneNumber';
import { Avatar } from '@/ui/Avatar';
import { IconButton } from '@/ui/IconButton';
import { lazyComponent } from '@/ui/lazyComponent';
import { Address } from './Address';
import css from './ProfileCard.module.css';
import { SignOnLink } from './SignOnLink';

const AvatarDialog = lazyComponent(() => import('./avatar/AvatarDialog'), 'AvatarDialog');

/** The user's data at a glance, and the button for another picture. */
export function ProfileCard({ user }: { user: components['schemas']['User'] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [changing, setChanging] = useState(false);
  // The dialog's code is loaded when it is first opened.
  const [wanted, setWanted] = useState(false);
  const name = user.nickname || user.userName;
  const isOwner = useMay('owner');

  return (
    <section className={css.card} aria-label={name}>
      <div className={css.picture}>
        <Avatar name={name} picture={user.avatar} size={88} />
        <IconButton
          label={t('avatar.change')}
          icon={<CameraOutlined aria-hidden="true" />}
          className={css.camera}
          aria-haspopup="dialog"
          onClick={() => {
            setWanted(true);
            setChanging(true);
          }}
        />
      </div>
      <h2 className={css.name}>{name}</h2>
      <p className={css.userName}>{user.userName}</p>
      <dl className={css.facts}>
        <Fact icon={<SafetyOutlined />} name={t('role.title')} title={t(`role.may.${user.role}`)}>
          {t(`role.${user.role}`)}
        </Fact>
        <Fact icon={<MobileOutlined />} name={t('profile.mobileShort')}>
          {user.mobile === '' ? t('profile.noMobile') : <span className={css.figures}>{maskNumber(user.mobile)}</span>}
        </Fact>
        <Fact icon={<MailOutlined />} name={t('profile.email')} title={user.email}>
          {user.email ? <Address of={user.email} /> : missingValue}
        </Fact>
        <Fact icon={<ClockCircleOutlined />} name={t('profile.lastLogin')}>
          {user.loginDate ? (
            <time className={css.figures} dateTime={new Date(user.loginDate).toISOString()}>
              {format.absolute(user.loginDate)}
            </time>
          ) : (
            missingValue
          )}
        </Fact>
      </dl>
      {user.oidc ? <SignOnLink {...user.oidc} /> : null}
      {isOwner ? (
        <Link to="/profile/activity" className={css.activity}>
          <HistoryOutlined aria-hidden="true" />
          <span>
            <b>{t('activity.link')}</b>
            <small>{t('activity.linkText')}</small>
          </span>
          <RightOutlined aria-hidden="true" />
        </Link>
      ) : null}
      {wanted ? <AvatarDialog open={changing} onClose={() => setChanging(false)} /> : null}
    </section>
  );
}

function Fact({ icon, name, title, children }: { icon: ReactNode; name: string; title?: string; children: ReactNode }) {
  return (
    <>
      <dt>
        <span className={css.icon} aria-hidden="true">
          {icon}
        </span>
        {name}
      </dt>
      <dd title={title}>{children}</dd>
    </>
  );
}
