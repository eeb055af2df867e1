import CheckCircleOutlined from '@ant-design/icons/CheckCircleOutlined';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import UserOutlined from '@ant-design/icons/UserOutlined';
import { useTranslation } from 'react-i18next';
import type { Message } from '@/lib/message/queries';
import { levelIcons } from '../alarm/tags';
import css from './MessageMark.module.css';

/** A round mark: the level of an alarm that began, or how it ended. */
export function MessageMark({ message }: { message: Message }) {
  const { t } = useTranslation();
  const { event, byHand, alarmLevel, triggerType } = message;
  if (event === 'resolved') {
    const Icon = byHand ? UserOutlined : CheckCircleOutlined;
    return (
      <span
        className={`${css.mark} ${byHand ? css.info : css.ok}`}
        role="img"
        aria-label={t(`resolve.${byHand ? 2 : 1}`)}
      >
        <Icon aria-hidden="true" />
      </span>
    );
  }
  const Icon = triggerType === 1 ? DisconnectOutlined : levelIcons[alarmLevel];
  return (
    <span
      className={`${css.mark} ${css.level}`}
      data-level={alarmLevel}
      role="img"
      aria-label={t(`home.level.${alarmLevel}`)}
    >
      <Icon aria-hidden="true" />
    </span>
  );
}
