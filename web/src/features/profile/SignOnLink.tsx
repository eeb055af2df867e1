import RightOutlined from '@ant-design/icons/RightOutlined';
import SwapOutlined from '@ant-design/icons/SwapOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showError } from '@/lib/http/errorText';
import { canSignOn, linkSignOn } from '@/lib/session/signOn';
import css from './ProfileCard.module.css';

interface SignOnLinkProps {
  /** Of the farm's own sign-in. */
  name: string;
  linked: boolean;
}

/** Links the account at the farm's own sign-in, or another one there in its place. */
export function SignOnLink({ name, linked }: SignOnLinkProps) {
  const { t } = useTranslation();
  const [leaving, setLeaving] = useState(false);
  if (!canSignOn()) return null;

  const leave = () => {
    if (leaving) return;
    setLeaving(true);
    linkSignOn('/profile').catch((error: unknown) => {
      setLeaving(false);
      showError(error, { failure: 'signin.linkFail' });
    });
  };

  return (
    <button type="button" className={css.activity} aria-disabled={leaving} onClick={leave}>
      <SwapOutlined aria-hidden="true" />
      <span>
        <b>{t(linked ? 'profile.signOn.again' : 'profile.signOn.link', { name })}</b>
        <small>{t(linked ? 'profile.signOn.linked' : 'profile.signOn.text', { name })}</small>
      </span>
      <RightOutlined aria-hidden="true" />
    </button>
  );
}
