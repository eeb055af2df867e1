import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import VideoCameraOutlined from '@ant-design/icons/VideoCameraOutlined';
import { useTranslation } from 'react-i18next';
import css from './CameraPicture.module.css';

interface VideoPlaceholderProps {
  /** `wait`: loading; `none`: nothing can be shown here; `down`: what could be shown is not available. */
  kind: 'wait' | 'none' | 'down';
  title: string;
  text?: string;
  onRetry?: () => void;
  /** The button's text for a first load, instead of Retry. */
  retryLabel?: string;
  busy?: boolean;
}

const icons = { wait: <LoadingOutlined />, none: <VideoCameraOutlined />, down: <DisconnectOutlined /> };

/** Stands in the place of a picture and says why there is none and what to do. */
export function VideoPlaceholder({ kind, title, text, onRetry, retryLabel, busy = false }: VideoPlaceholderProps) {
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
        // Not the `disabled` attribute: it would take the focus from the button that was just
        // pressed.
        <button type="button" className={css.retry} aria-disabled={busy} onClick={busy ? undefined : onRetry}>
          {retryLabel ? null : <ReloadOutlined spin={busy} aria-hidden="true" />}
          {retryLabel ?? t('common.retry')}
        </button>
      ) : null}
    </div>
  );
}
