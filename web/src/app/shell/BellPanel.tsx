import { useTranslation } from 'react-i18next';
import { BellList } from './BellList';
import css from './BellPanel.module.css';

interface BellPanelProps {
  onClose: () => void;
  onAllRead: () => void;
}

/** The newest messages below the bell. */
export function BellPanel(props: BellPanelProps) {
  const { t } = useTranslation();
  return (
    <div className={css.panel} role="dialog" aria-label={t('message.recent')}>
      <BellList {...props} />
    </div>
  );
}
