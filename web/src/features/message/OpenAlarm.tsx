import ExceptionOutlined from '@ant-design/icons/ExceptionOutlined';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import css from './OpenAlarm.module.css';

interface OpenAlarmProps {
  noticeId: number;
  /** The message's title: the link is an icon only, and this is in its name. */
  iconOf?: string;
  onFollowed: () => void;
}

/** Leads to the alarm that a message tells of. */
export function OpenAlarm({ noticeId, iconOf, onFollowed }: OpenAlarmProps) {
  const { t } = useTranslation();
  const name = iconOf === undefined ? undefined : t('message.openAlarmOf', { title: iconOf });
  return (
    <Link
      to="/inform"
      search={{ id: noticeId }}
      className={`${css.link} ${name === undefined ? css.framed : css.icon}`}
      aria-label={name}
      title={name}
      onClick={onFollowed}
    >
      <ExceptionOutlined aria-hidden="true" />
      {name === undefined ? t('message.openAlarm') : null}
    </Link>
  );
}
