import AlertFilled from '@ant-design/icons/AlertFilled';
import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import InfoCircleOutlined from '@ant-design/icons/InfoCircleOutlined';
import PauseCircleOutlined from '@ant-design/icons/PauseCircleOutlined';
import PlayCircleFilled from '@ant-design/icons/PlayCircleFilled';
import SwapOutlined from '@ant-design/icons/SwapOutlined';
import ToolOutlined from '@ant-design/icons/ToolOutlined';
import UserOutlined from '@ant-design/icons/UserOutlined';
import WarningOutlined from '@ant-design/icons/WarningOutlined';
import { useTranslation } from 'react-i18next';
import type { Level, ResolveStatus } from '@/lib/alarm/types';
import { Chip } from '../Chip';
import css from './tags.module.css';

/** The icon of each level, wherever it is chosen or shown; levels.css has the colours. */
export const levelIcons = [InfoCircleOutlined, WarningOutlined, AlertFilled] as const;

/** How serious an alarm is: general, important or serious. */
export function LevelTag({ level, title }: { level: Level; title?: string }) {
  const { t } = useTranslation();
  const Icon = levelIcons[level];
  return (
    <Chip tone="level" level={level} icon={<Icon />} title={title}>
      {t(`home.level.${level}`)}
    </Chip>
  );
}

/** Whether a rule runs. */
export function DeployTag({ running }: { running: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={`${css.plain} ${running ? css.running : ''}`}>
      <span aria-hidden="true" className={css.icon}>
        {running ? <PlayCircleFilled /> : <PauseCircleOutlined />}
      </span>
      {t(running ? 'deploy.running' : 'deploy.stopped')}
    </span>
  );
}

const resolveLooks = [
  { tone: 'alarm', Icon: ClockCircleOutlined },
  { tone: 'ok', Icon: CheckCircleFilled },
  { tone: 'info', Icon: UserOutlined },
] as const;

/** Whether a notice is open, and how it ended. Only a level is filled with an alarm's colour: an open notice has a ring. */
export function ResolveTag({ status }: { status: ResolveStatus }) {
  const { t } = useTranslation();
  const { tone, Icon } = resolveLooks[status];
  return (
    <Chip tone={tone} icon={<Icon />} outlined={status === 0}>
      {t(`resolve.${status}`)}
    </Chip>
  );
}

/** For a notice whose condition changes too often for a notice each time. */
export function UnsteadyTag() {
  const { t } = useTranslation();
  return (
    <Chip tone="warn" icon={<SwapOutlined />}>
      {t('inform.unsteady.tag')}
    </Chip>
  );
}

/** For an open notice that a user acknowledged. */
export function AckTag({ user }: { user: string }) {
  const { t } = useTranslation();
  return (
    <Chip tone="info" icon={<ToolOutlined />}>
      <span className={css.whole}>{t('inform.ack.state', { user })}</span>
    </Chip>
  );
}
