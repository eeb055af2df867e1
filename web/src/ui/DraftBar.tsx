import EditOutlined from '@ant-design/icons/EditOutlined';
import { useTranslation } from 'react-i18next';
import css from './DraftBar.module.css';

interface DraftBarProps {
  onRestore: () => void;
  onDiscard: () => void;
}

/** Offers unsaved form input. Place it above the form; show it while useDraft offers something. */
export function DraftBar({ onRestore, onDiscard }: DraftBarProps) {
  const { t } = useTranslation();
  return (
    <div className={css.bar} role="status">
      <EditOutlined className={css.icon} aria-hidden="true" />
      <div className={css.words}>
        <p className={css.title}>{t('draft.offer')}</p>
        <p className={css.text}>{t('draft.text')}</p>
      </div>
      <div className={css.buttons}>
        <button type="button" className={css.button} onClick={onDiscard}>
          {t('draft.discard')}
        </button>
        <button type="button" className={`${css.button} ${css.main}`} onClick={onRestore}>
          {t('draft.restore')}
        </button>
      </div>
    </div>
  );
}
