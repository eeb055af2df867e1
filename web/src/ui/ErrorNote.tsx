import CloudOutlined from '@ant-design/icons/CloudOutlined';
import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import { useTranslation } from 'react-i18next';
import css from './ErrorNote.module.css';

interface ErrorNoteProps {
  /** What happened. */
  title: string;
  /** The consequence: how old the data below is, when the next attempt is. */
  text?: string;
  onRetry?: () => void;
  /** The retry is in progress. */
  busy?: boolean;
}

/** Goes above the last data, which stay: an error never replaces data. */
export function ErrorNote({ title, text, onRetry, busy = false }: ErrorNoteProps) {
  const { t } = useTranslation();
  return (
    <div className={css.note} role="alert">
      <CloudOutlined className={css.icon} aria-hidden="true" />
      <div className={css.words}>
        <p className={css.title}>{title}</p>
        {text ? <p className={css.text}>{text}</p> : null}
      </div>
      {onRetry ? (
        // Not the disabled attribute: the user who just pressed it would lose the focus.
        <button type="button" className={css.retry} aria-disabled={busy} onClick={busy ? undefined : onRetry}>
          <ReloadOutlined spin={busy} aria-hidden="true" />
          {t('common.retry')}
        </button>
      ) : null}
    </div>
  );
}
