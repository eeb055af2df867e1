import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import VideoCameraOutlined from '@ant-design/icons/VideoCameraOutlined';
import { useTranslation } from 'react-i18next';
import css from './CameraPicture.module.css';

interface VideoPlaceholderProps {
  /** On its way; not set up; or set up and not to be had. */
  kind: 'wait' | 'none' | 'down';
  title: string;
  text?: string;
  onRetry?: () => void;
  /** In place of Retry: what is asked for the first time. */
  retryWords?: string;
  busy?: boolean;
}

const icons = { wait: <LoadingOutlined />, none: <VideoCameraOutlined />, down: <DisconnectOutlined /> };

/** In the place of a picture: why there is none, and what can be done. */
export function VideoPlaceholder({ kind, title, text, onRetry, retryWords, busy = false }: VideoPlaceholderProps) {
  const { t } = useTranslation();
  return (
    <div className={`${css.notice} ${kind === 'none' ? css.calm : ''}`}>
      <span className={css.mark} aria-hidden="true">
        {icons[kind]}
      </span>
      <div role="status">
        <p className={css.title}>{title}</p>
        {text ? <p className={css.text}>{text}</p> : null}
      </div>
      {onRetry ? (
        // Not disabled by its attribute: the keyboard would be lost to whom has just pressed it.
        <button type="button" className={css.retry} aria-disabled={busy} onClick={busy ? undefined : onRetry}>
          {retryWords ? null : <ReloadOutlined spin={busy} aria-hidden="true" />}
          {retryWords ?? t('common.retry')}
        </button>
      ) : null}
    </div>
  );
}
